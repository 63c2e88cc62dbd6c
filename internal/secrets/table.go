package secrets

import "sync"

// form is one kind of token: a prefix at the start of a word, then characters of one class.
type form struct {
	kind   string
	prefix string
	chars  *class
	min    int
	exact  bool // not more than min
	check  func(run, rest string) bool
}

// forms is tried from the top, so a prefix that begins with another one stands above it. The formats
// are those that the services publish for secret scanners; the first seven kinds are the ones that the
// tools of the profile format share.
var forms = []form{
	{kind: "Anthropic API key", prefix: "sk-ant-", chars: base64URL, min: 16},
	{kind: "OpenAI-style API key", prefix: "sk-", chars: base64URL, min: 16, check: unbroken},
	{kind: "GitHub token", prefix: "ghp_", chars: wordChars, min: 20},
	{kind: "GitHub token", prefix: "gho_", chars: wordChars, min: 20},
	{kind: "GitHub token", prefix: "ghu_", chars: wordChars, min: 20},
	{kind: "GitHub token", prefix: "ghs_", chars: wordChars, min: 20},
	{kind: "GitHub token", prefix: "ghr_", chars: wordChars, min: 20},
	{kind: "AWS access key id", prefix: "AKIA", chars: capitals, min: 16, exact: true, check: endOfWord},
	{kind: "AWS access key id", prefix: "ASIA", chars: capitals, min: 16, exact: true, check: endOfWord},
	{kind: "Slack token", prefix: "xoxa-", chars: dashed, min: 10},
	{kind: "Slack token", prefix: "xoxb-", chars: dashed, min: 10},
	{kind: "Slack token", prefix: "xoxp-", chars: dashed, min: 10},
	{kind: "Slack token", prefix: "xoxr-", chars: dashed, min: 10},
	{kind: "Slack token", prefix: "xoxs-", chars: dashed, min: 10},
	{kind: "private key", prefix: "BEGIN ", chars: header, min: 11, check: armoured},
	{kind: "JSON Web Token", prefix: "ey", chars: base64URL, min: 10, check: threeParts},

	{kind: "GitHub token", prefix: "github_pat_", chars: underscored, min: 22},
	{kind: "GitLab token", prefix: "glpat-", chars: base64URL, min: 20},
	{kind: "GitLab token", prefix: "gldt-", chars: base64URL, min: 20},
	{kind: "GitLab token", prefix: "glrt-", chars: base64URL, min: 20},
	{kind: "GitLab token", prefix: "glptt-", chars: base64URL, min: 20},
	{kind: "GitLab token", prefix: "glcbt-", chars: base64URL, min: 20},
	{kind: "Google API key", prefix: "AIza", chars: base64URL, min: 35},
	{kind: "Google OAuth secret", prefix: "GOCSPX-", chars: base64URL, min: 20},
	{kind: "Google access token", prefix: "ya29.", chars: base64URL, min: 20},
	{kind: "Stripe key", prefix: "sk_live_", chars: wordChars, min: 16},
	{kind: "Stripe key", prefix: "rk_live_", chars: wordChars, min: 16},
	{kind: "Stripe webhook secret", prefix: "whsec_", chars: base64Std, min: 24},
	{kind: "npm token", prefix: "npm_", chars: wordChars, min: 30},
	{kind: "PyPI token", prefix: "pypi-AgE", chars: base64URL, min: 40},
	{kind: "Hugging Face token", prefix: "hf_", chars: wordChars, min: 30},
	{kind: "Groq API key", prefix: "gsk_", chars: wordChars, min: 32},
	{kind: "xAI API key", prefix: "xai-", chars: wordChars, min: 40},
	{kind: "Slack token", prefix: "xapp-", chars: dashed, min: 20, check: mixed},
	{kind: "Slack webhook", prefix: "hooks.slack.com/services/T", chars: path, min: 20},
	{kind: "SendGrid API key", prefix: "SG.", chars: dotted, min: 40, check: mixed},
	{kind: "DigitalOcean token", prefix: "dop_v1_", chars: wordChars, min: 40},
	{kind: "Shopify token", prefix: "shpat_", chars: wordChars, min: 32},
	{kind: "Docker token", prefix: "dckr_pat_", chars: base64URL, min: 20},
	{kind: "Vault token", prefix: "hvs.", chars: base64URL, min: 24},
	{kind: "Azure account key", prefix: "AccountKey=", chars: base64Std, min: 86, check: random},
	{kind: "Azure access key", prefix: "SharedAccessKey=", chars: base64Std, min: 43, check: random},
	{kind: "age secret key", prefix: "AGE-SECRET-KEY-1", chars: capitals, min: 40},
	{kind: "bearer token", prefix: "Bearer ", chars: token68, min: 16, check: mixed},
	{kind: "basic authentication", prefix: "Basic ", chars: token68, min: 8, check: userAndPassword},
}

// byFirst sorts the forms by their first letter, once and on first use.
var byFirst = sync.OnceValue(func() *[256][]*form {
	var t [256][]*form
	for i := range forms {
		c := forms[i].prefix[0]
		t[c] = append(t[c], &forms[i])
	}
	return &t
})

// class is a set of bytes. Bytes beyond ASCII are in none but controls' complement, so a letter like é
// ends a word, which can only find more.
type class [256]bool

const (
	lowerLetters = "abcdefghijklmnopqrstuvwxyz"
	upperLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	numerals     = "0123456789"
	alphanumeric = lowerLetters + upperLetters + numerals
)

var (
	lower       = set(lowerLetters)
	upper       = set(upperLetters)
	digits      = set(numerals)
	wordChars   = set(alphanumeric)
	capitals    = set(upperLetters + numerals)
	dashed      = set(alphanumeric + "-")
	underscored = set(alphanumeric + "_")
	base64URL   = set(alphanumeric + "-_")
	base64Std   = set(alphanumeric + "+/=")
	dotted      = set(alphanumeric + "-_.")
	path        = set(alphanumeric + "/")
	token68     = set(alphanumeric + "-._~+/=") // RFC 9110 §11.2
	header      = set(upperLetters + numerals + " ")
	nameChars   = set(alphanumeric + "-_.")
	signs       = set("!@#$%^&*+=?~")
	controls    = set("\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f")
)

func set(chars string) *class {
	var c class
	for i := range len(chars) {
		c[chars[i]] = true
	}
	return &c
}

func has(s string, c *class) bool {
	for i := range len(s) {
		if c[s[i]] {
			return true
		}
	}
	return false
}

func (c *class) covers(s string) bool {
	for i := range len(s) {
		if !c[s[i]] {
			return false
		}
	}
	return true
}

// endOfWord asks that the token is not the beginning of a longer word.
func endOfWord(_, rest string) bool { return rest == "" || !underscored[rest[0]] }
