package proposals

import (
	"encoding/hex"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
)

// DecidedPrefix is where the commits of decided branches stay reachable, with the decision on top.
const DecidedPrefix = "refs/oap/decided/"

// defaultPrefix of branch names; git config oap.refPrefix.
const defaultPrefix = "oap/"

// idLength is the number of hexadecimal digits of an id.
const idLength = 12

// prefix gives the start of our branches' full names. One that ends in a letter or digit gets a slash.
func (b *Book) prefix() string {
	p := strings.TrimPrefix(b.Prefix, "refs/heads/")
	if p == "" {
		p = defaultPrefix
	}
	if last := p[len(p)-1]; last != '/' && last != '-' && last != '_' && last != '.' {
		p += "/"
	}
	return "refs/heads/" + p
}

// BranchPrefix is where the branches of proposals and pending states are ("refs/heads/oap/").
func (b *Book) BranchPrefix() string { return b.prefix() }

// ProposalRef names the branch of a proposal.
func (b *Book) ProposalRef(profile, id string) string {
	return b.prefix() + "proposals/" + escapeSlug(profile) + "/" + id
}

// PendingRef names the branch of a pending state.
func (b *Book) PendingRef(profile, id string) string {
	return b.prefix() + "pending/" + escapeSlug(profile) + "/" + id
}

// parseRef reads what the two above wrote.
func (b *Book) parseRef(ref string) (kind Kind, profile, id string, ok bool) {
	rest, ok := strings.CutPrefix(ref, b.prefix())
	if !ok {
		return "", "", "", false
	}
	parts := strings.Split(rest, "/")
	if len(parts) != 3 || !isID(parts[2]) {
		return "", "", "", false
	}
	switch parts[0] {
	case "proposals":
		kind = KindProposal
	case "pending":
		kind = KindPending
	default:
		return "", "", "", false
	}
	profile, ok = unescapeSlug(parts[1])
	return kind, profile, parts[2], ok
}

func isID(s string) bool {
	return len(s) == idLength && strings.Trim(s, "0123456789abcdef") == ""
}

// escapeSlug turns a profile's name into one component of a ref. Names of the format need it only where
// they hold ".." or end in ".lock" (git: refs.c, check_refname_component); every other byte outside the
// format's alphabet is escaped as well, so that no name can be more than one component.
func escapeSlug(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		plain := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_'
		if c == '.' {
			plain = i > 0 && name[i-1] != '.' && i < len(name)-1 && name[i:] != ".lock"
		}
		if plain {
			b.WriteByte(c)
		} else {
			b.WriteByte('%')
			b.WriteString(hex.EncodeToString([]byte{c}))
		}
	}
	return b.String()
}

// unescapeSlug is the way back. It is false for what escapeSlug never writes.
func unescapeSlug(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b.WriteByte(s[i])
			continue
		}
		if i+2 >= len(s) {
			return "", false
		}
		c, err := hex.DecodeString(s[i+1 : i+3])
		if err != nil {
			return "", false
		}
		b.WriteByte(c[0])
		i += 2
	}
	name := b.String()
	return name, name != "" && escapeSlug(name) == s
}

// idOf shortens the digest of a value to an id.
func idOf(v map[string]any) (string, error) {
	sum, err := canonical.Sum(v)
	if err != nil {
		return "", err
	}
	return hex.EncodeToString(sum[:])[:idLength], nil
}

// pendingID is the id of a pending state: the start of its delta's idempotency key.
func pendingID(key canonical.Digest) string { return hex.EncodeToString(key[:])[:idLength] }
