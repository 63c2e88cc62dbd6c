package secrets_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/secrets"
)

// planted are texts that hold a made-up credential. A bar splits each of them and is taken out before use, so
// that no scanner of this repository takes the table for a leak.
var planted = []struct{ name, text, kind string }{
	{"anthropic", "sk-|ant-api03-abcdefghij0123456789", "Anthropic API key"},
	{"anthropic by the shared pattern", "sk-|ant-abcdefghijklmnop", "Anthropic API key"},
	{"openai", "sk-|abcdefghijklmnopqrstuvwx", "OpenAI-style API key"},
	{"openai project", "sk-|proj-aB3_dE6-gH9jK2mN5pQ8sT1vW4yZ7", "OpenAI-style API key"},
	{"github classic", "use gh|p_abcdefghijklmnopqrstuvwxyz0123456789 for it", "GitHub token"},
	{"github, shortest", "gh|s_abcdefghij0123456789", "GitHub token"},
	{"github behind a name", "TOKEN_gh|o_abcdefghij0123456789", "GitHub token"},
	{"github fine-grained", "github|_pat_11ABCDEFG0abcdefghijkl_mnop", "GitHub token"},
	{"aws", "id AK|IAIOSFODNN7ABCDEFG.", "AWS access key id"},
	{"aws temporary", "AS|IAIOSFODNN7ABCDEFG", "AWS access key id"},
	{"slack bot", "xo|xb-1234567890-abc", "Slack token"},
	{"slack app", "xa|pp-1-A012345-6789-abcdef0123", "Slack token"},
	{"slack webhook", "https://hooks.slack|.com/services/T00000000/B00000000/abcdefghijkl", "Slack webhook"},
	{"pem", "-----BEGIN |PRIVATE KEY-----", "private key"},
	{"pem rsa", "x\n-----BEGIN RSA |PRIVATE KEY-----\nMIIE", "private key"},
	{"pem encrypted", "-----BEGIN ENCRYPTED |PRIVATE KEY-----", "private key"},
	{"pem dsa", "-----BEGIN DSA |PRIVATE KEY-----", "private key"},
	{"openssh", "-----BEGIN OPENSSH |PRIVATE KEY-----", "private key"},
	{"pgp", "-----BEGIN PGP |PRIVATE KEY BLOCK-----", "private key"},
	{"jwt", "ey|JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27u", "JSON Web Token"},
	{"google", "AI|zaSyA-abcdefghijklmnopqrstuvwxyz01234", "Google API key"},
	{"google oauth", "GOC|SPX-abcdefghij0123456789abcd", "Google OAuth secret"},
	{"stripe", "sk_|live_abcdefghij0123456789", "Stripe key"},
	{"stripe restricted", "rk_|live_abcdefghij0123456789", "Stripe key"},
	{"gitlab", "glp|at-abcdefghij_0123456789", "GitLab token"},
	{"npm", "np|m_abcdefghijklmnopqrstuvwxyz0123456789", "npm token"},
	{"hugging face", "h|f_abcdefghijklmnopqrstuvwxyzABCDEFGH", "Hugging Face token"},
	{"pypi", "py|pi-AgEIcHlwaS5vcmcCJDk2abcdefghijklmnopqrstuvwxyz0123", "PyPI token"},
	{"url", "clone https://user:|pass@host/x.git", "password in a URL"},
	{"database url", "postgres://app:|hunter2@db:5432/app", "password in a URL"},
	{"flag", "--token=|a1b2c3d4e5", "token written out"},
	{"flag and blank", "run it --api-key |a1b2c3d4e5 --fast", "token written out"},
	{"flag with a prefix", "--github-token=|a1b2c3d4e5", "token written out"},
	{"yaml", `password: "|hunter2hunter"`, "password written out"},
	{"environment", "DB_PASSWORD=|s3cretpassw0rd", "password written out"},
	{"json", `{"client_secret": "|8f14e45fceea167a5a36dedd4bea2543"}`, "token written out"},
	{"go", "apiKey := `|8f14e45fceea167a5a36`", "token written out"},
	{"header", "Authorization: Bearer |abcdef0123456789abcd", "bearer token"},
	{"basic", "Authorization: Basic |dXNlcjpodW50ZXIy", "basic authentication"},
	{"azure storage", "DefaultEndpointsProtocol=https;AccountName=app;AccountKey=|k3Jv0pQm8Zt/Xw2LrS+9aBcD4eFgH5iJk6MnO7pQrS1tUvW8xYz0A2bC3dE4fG5hI6jK7lM8nO9pQ0rSTu1vWx==;EndpointSuffix=core.windows.net", "Azure account key"},
	{"azure storage, slash first", "AccountKey=|/3Jv0pQm8Zt/Xw2LrS+9aBcD4eFgH5iJk6MnO7pQrS1tUvW8xYz0A2bC3dE4fG5hI6jK7lM8nO9pQ0rSTu1vWx==", "Azure account key"},
	{"azure storage in yaml", `account_key: "|/3Jv0pQm8Zt/Xw2LrS+9aBcD4eFgH5iJk6MnO7pQrS1tUvW8xYz0A2bC3dE4fG5hI6jK7lM8nO9pQ0rSTu1vWx=="`, "token written out"},
	{"azure service bus", "Endpoint=sb://app.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=|/3Jv0pQm8Zt/Xw2LrS+9aBcD4eFgH5iJk6MnO7pQrS1=", "Azure access key"},
	{"aws secret, slash first", "aws_secret_access_key = |/bPxRfiCY3vT9kLq2wZ8sNdE5hGj7mXc4uVaB1yQ", "token written out"},
	{"aws secret, plus first", "aws_secret_access_key = |+bPxRfiCY3vT9kLq2wZ8sNdE5hGj7mXc4uVaB1yQ", "token written out"},
	{"aws secret in short stretches", "AWS_SECRET_ACCESS_KEY=|/bPx+fiCY3/T9kLq2+Z8sNdE/hGj7mX+4uVaB1/Q", "token written out"},
	{"aws secret in json", `"SecretAccessKey": "|/bPxRfiCY3vT9kLq2wZ8sNdE5hGj7mXc4uVaB1yQ"`, "token written out"},
	{"curl", "curl -u admin:|hunter2 https://example.org", "password written out"},
	{"curl, attached", "curl -sS -uadmin:|hunter2 https://example.org", "password written out"},
	{"curl, quoted", `curl https://example.org \` + "\n" + `  -u "admin:|hunter two!"`, "password written out"},
	{"curl, long", "curl --user 'me@example.org:|correct-horse!' x", "password written out"},
	{"curl, proxy", "curl --proxy-user=me:|hunter2 x", "password written out"},
	{"user flag", "run --user deploy:|s3cretpassw0rd now", "password written out"},
	{"behind words that share a prefix", "sk-|learn-a-b-c xoxb-x eyes sk-|abcdefghijklmnopqrstuvwx", "OpenAI-style API key"},
	{"inside a run of another form", "sk-|le-some-xo|xb-1234567890", "Slack token"},
}

func join(s string) string { return strings.ReplaceAll(s, "|", "") }

func TestScanTextFinds(t *testing.T) {
	for _, tc := range planted {
		t.Run(tc.name, func(t *testing.T) {
			kind, found := secrets.ScanText(join(tc.text))
			if !found || kind != tc.kind {
				t.Errorf("ScanText = %q, %v; want %q", kind, found, tc.kind)
			}
		})
	}
}

var harmless = []struct{ name, why, text string }{
	{"hyphenated words", "no stretch of letters is as long as a key", "sk-learn-pipeline-helpers"},
	{"words that end in sk", "the prefix is inside a word", "the task-force-for-quarterly-reports, risk-assessment-framework-v2"},
	{"digest", "public by nature", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"},
	{"digest of a token", "a digest is no credential", "token: sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d"},
	{"uuid", "public by nature", "urn:uuid:123e4567-e89b-12d3-a456-426614174000"},
	{"git commit", "public by nature", "see 9fcc24e51b2f8f5f6c7d8e9f0a1b2c3d4e5f6a7b"},
	{"reference", "names a variable", "${ANTHROPIC_API_KEY}"},
	{"header reference", "names a variable", "Bearer ${API_TOKEN_2}"},
	{"assignment of a reference", "names a variable", "TOKEN=${GITHUB_TOKEN_2} PASSWORD=$DB_PASSWORD_1"},
	{"reference in a url", "names a variable", "https://bot:${BOT_PASSWORD}@example.org"},
	{"template in a url", "to be filled in", "postgres://USER:<password>@host, redis://u:***@h, amqp://u:{{ pw }}@h"},
	{"user in a url", "no password", "ssh://git@github.com:22/a/b, https://example.org/@user:x"},
	{"talk about tokens", "words", "Token: authentication uses a bearer token; password: required, at least 8 characters"},
	{"quoted rule", "a sentence", `password: "must have 8 characters"`},
	{"vault", "an address", "password: vault:kv/data/app1#password and secret=op://vault1/item2/field3"},
	{"code", "a call", `token = os.environ["TOKEN_V2"]; api_key=getenv("KEY1234567890123")`},
	{"kebab names", "words with a number", "secret: aws-secretsmanager-store-2"},
	{"budget", "digits only", "max_output_token: 1000000000000000"},
	{"path", "a file", "--password-file=/run/secrets/db1 token=/run/secrets/token12345678"},
	{"path of names", "a file", "secret_key=/Users/JohnDoe/Projects/App2026/Keys/prod token: /Volumes/Data2/Teams/PlatformSecurity/ApiToken7"},
	{"path of forty characters", "a file", "aws_secret_access_key = /opt/Service01/Config/Release2026/AwsKeys"},
	{"account key, to be filled in", "stuffing", "AccountName=app;AccountKey=<your-key>;AccountKey=${ACCOUNT_KEY_1};AccountKey=... AccountKey=key1"},
	{"account key of zeros", "not random", "AccountKey=|0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"},
	{"access key name", "a name", "SharedAccessKeyName=RootManageSharedAccessKey1"},
	{"user and group", "no password", "docker run --user 1000:1000 -u www-data:www-data --user=app:staff --user app:group12 x"},
	{"user flag without curl", "short flags mean many things", "sudo -u app:s3cretpassw0rd"},
	{"curl, to be filled in", "stuffing", "curl -u user:password, curl -u $USER:$PASS_1, curl --user name:<password1>, curl -u me:${PW1}, curl -u USER:your-pass1"},
	{"curl, no password", "it asks for one", "curl -u admin https://example.org/a1b2c3:8080, curl -u admin: x"},
	{"curl, other flags", "a url is no password", "curl --url https://example.org:8443/v2abc -U x"},
	{"digest behind a user flag", "public by nature", "--user sha256:9f86d081884c7d659a2feaa0c55ad015 curl -u sha256:9f86d081884c7d65"},
	{"talk about users", "words", "user: see docs; User: 123e4567-e89b-12d3-a456-426614174000; the -u flag: takes user:password2"},
	{"placeholder", "stuffing", "--api-key=your-key-1234567 password=changeme123 token=xxxxxxxxxxxxxxxx1"},
	{"public key", "meant to be seen", "-----BEGIN PUBLIC KEY-----, -----BEGIN CERTIFICATE-----"},
	{"talk about keys", "no header", "BEGIN PRIVATE KEY material must never be committed"},
	{"aws, too long", "not the form", "AKIAIOSFODNN7ABCDEFGHIJK"},
	{"version and host", "dots do not make a web token", "eyes.example.org, ey-lists.of.things"},
	{"bearer in prose", "words", "Bearer authentication-is-required everywhere"},
	{"basic in prose", "not base64 of user and password", "Basic understanding of Basic configuration1"},
	{"short", "too short to be anything", "gh|p_abc"},
	{"empty", "nothing", ""},
}

func TestScanTextPasses(t *testing.T) {
	for _, tc := range harmless {
		t.Run(tc.name, func(t *testing.T) {
			if kind, found := secrets.ScanText(join(tc.text)); found {
				t.Errorf("ScanText found a %s; want nothing, because: %s", kind, tc.why)
			}
		})
	}
}

func TestScan(t *testing.T) {
	key := join("gh|p_abcdefghij0123456789")
	type m = map[string]any
	for _, tc := range []struct {
		name, why string
		value     any
		want      []secrets.Finding
	}{
		{"nothing", "no text, no finding", m{"a": []any{1.0, true, nil}}, nil},
		{"whole value", "a document may be one text", key, []secrets.Finding{{Kind: "GitHub token"}}},
		{"order and escapes", "members by name, pointers by RFC 6901",
			m{"b": []any{"x", key}, "a/b": m{"~": key}},
			[]secrets.Finding{{Pointer: "/a~1b/~0", Kind: "GitHub token"}, {Pointer: "/b/1", Kind: "GitHub token"}}},
		{"one for each text", "the place is what matters", m{"t": key + " " + key}, []secrets.Finding{{Pointer: "/t", Kind: "GitHub token"}}},
		{"key", "the pointer must not spell it out", m{"env": m{key: m{"x": key}}, "z": "y"},
			[]secrets.Finding{{Pointer: "/env", Kind: "GitHub token", Key: true}}},
		{"named value", "a member called password announces one", m{"config": m{"dbPassword": join("hunt|er22")}},
			[]secrets.Finding{{Pointer: "/config/dbPassword", Kind: "password written out"}}},
		{"flag and value", "the next argument is the token", []any{"serve", "--token", join("a1b2|c3d4"), "--port", "a1b2c3d4"},
			[]secrets.Finding{{Pointer: "/2", Kind: "token written out"}}},
		{"login and value", "the next argument is user and password", []any{"curl", "-u", join("me:hunt|er22"), "--user", "1000:1000", "-u", "a:b1"},
			[]secrets.Finding{{Pointer: "/2", Kind: "password written out"}}},
		{"azure by name", "a member called accountKey announces one", m{"accountKey": join("/bPxRfiCY3vT9kLq2wZ8sNdE|5hGj7mXc4uVaB1yQ"), "keyPath": "/a1/b2"},
			[]secrets.Finding{{Pointer: "/accountKey", Kind: "token written out"}}},
		{"path by name", "a file", m{"secret_key": "/etc/App1/Secrets/Production2026/TheKey9", "token": "/run/secrets/token1"}, nil},
		{"reference by name", "a reference is no credential", m{"token": "${MY_TOKEN_1}", "password": "Bearer ${X1}"}, nil},
		{"foreign type", "other types hold no text", m{"a": 1, "b": []string{key}}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, secrets.Scan(tc.value)); diff != "" {
				t.Errorf("because %s (-want +got):\n%s", tc.why, diff)
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	for _, tc := range planted {
		f.Add("a", join(tc.text), tc.text)
	}
	for _, tc := range harmless {
		f.Add(tc.text, "b", join(tc.text))
	}
	f.Fuzz(func(t *testing.T, key, a, b string) {
		v := map[string]any{key: a, "list": []any{b, map[string]any{b: a}}}
		got := secrets.Scan(v)
		if diff := cmp.Diff(got, secrets.Scan(v)); diff != "" {
			t.Fatalf("two scans differ:\n%s", diff)
		}
		for _, found := range got {
			p, err := canonical.ParsePointer(found.Pointer)
			if err != nil {
				t.Fatal(err)
			}
			at, ok := canonical.Get(v, p)
			if _, isObject := at.(map[string]any); !ok || found.Key && !isObject {
				t.Fatalf("%+v resolves to %v, %v", found, at, ok)
			}
			for _, token := range p {
				if _, leak := secrets.ScanText(token); leak {
					t.Fatalf("the pointer %q spells a credential out", found.Pointer)
				}
			}
		}
	})
}

// The public examples hold one planted token and nothing else that looks like one.
func TestCorpus(t *testing.T) {
	root := os.Getenv("OAP_CORPUS")
	if root == "" {
		t.Skip("OAP_CORPUS is not set")
	}
	files, hits := 0, []string(nil)
	err := filepath.WalkDir(filepath.Join(root, "oap"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		text, err := os.ReadFile(path)
		if kind, found := secrets.ScanText(string(text)); found {
			hits = append(hits, d.Name()+": "+kind)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files, %v", files, err)
	}
	if diff := cmp.Diff([]string{"literal-secret.agent.yaml: GitHub token"}, hits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
