package proposals

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/repo"
)

// Every name is one component of a ref that git takes, and comes back as it was.
func TestRefNames(t *testing.T) {
	for _, prefix := range []string{"", "oap/", "bots/oap", "feature/oap-"} {
		b := &Book{Prefix: prefix}
		for _, name := range []string{"scout", "a..b", "x.lock", "a.b", "a...b", "a.lock.lock", "0", "a_b-c", "A", "ü", "a/b", ".a", "a.", "a%2eb", "a b", "@{u}", "-x", "a\nb"} {
			for _, ref := range []string{b.ProposalRef(name, "0123456789ab"), b.PendingRef(name, "0123456789ab")} {
				if err := repo.CheckRef(ref); err != nil {
					t.Errorf("%q: %v", name, err)
				}
				if out, err := exec.Command("git", "check-ref-format", ref).CombinedOutput(); err != nil {
					t.Errorf("git refuses %s: %s", ref, out)
				}
				if strings.Count(strings.TrimPrefix(ref, b.prefix()), "/") != 2 {
					t.Errorf("%q is more than one component: %s", name, ref)
				}
				if kind, got, id, ok := b.parseRef(ref); !ok || got != name || id != "0123456789ab" || !strings.Contains(ref, map[Kind]string{KindProposal: "proposals", KindPending: "pending"}[kind]) {
					t.Errorf("%q came back as %q (%s, %s, %t)", name, got, kind, id, ok)
				}
			}
		}
	}
	seen := map[string]string{}
	for _, name := range []string{"a..b", "a.%2eb", "a%2e.b", "a.b", "a%b"} {
		e := escapeSlug(name)
		if other, twice := seen[e]; twice {
			t.Errorf("%q and %q are both %s", name, other, e)
		}
		seen[e] = name
	}
	b := &Book{}
	for _, ref := range []string{"refs/heads/oap/proposals/scout/xyz", "refs/heads/oap/other/scout/0123456789ab", "refs/heads/oap/proposals/0123456789ab", "refs/heads/oap/proposals/a%61/0123456789ab", "refs/heads/oap/proposals/a%/0123456789ab", "refs/heads/main"} {
		if _, name, _, ok := b.parseRef(ref); ok {
			t.Errorf("%s was read as the profile %q", ref, name)
		}
	}
}
