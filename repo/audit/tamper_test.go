package audit_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/audit"
)

const (
	auto    = ".agents/agent-000.agent.yaml"
	propose = ".agents/agent-001.agent.yaml"
	alex    = "Alex <alex@example.org>"
)

// shop is a repository with a clean history of a few profiles, to be tampered with.
type shop struct {
	*oaptest.Repo
	options audit.Options
}

func newShop(t testing.TB) *shop {
	r := oaptest.New(t)
	r.Grow(oaptest.History{Seed: 7, Revisions: 14, Profiles: 2, Linear: true})
	return &shop{Repo: r}
}

var (
	metaRevision  = regexp.MustCompile(`(?m)^  revision: (\d+)\n  updated_at: .*$`)
	stateRevision = regexp.MustCompile(`(?m)^state:\n  revision: (\d+)$`)
)

func revisionOf(text string) int {
	n, _ := strconv.Atoi(metaRevision.FindStringSubmatch(text)[1])
	return n
}

// to gives a text another revision, without more.
func to(text string, n int) string {
	return metaRevision.ReplaceAllString(text, fmt.Sprintf("  revision: %d\n  updated_at: 2026-05-04T08:00:00Z", n))
}

// logs appends to the history, which is the end of the file.
func logs(text string, n int, lines ...string) string {
	if !strings.Contains(text, "\nhistory:\n") {
		text += "\nhistory:\n"
	}
	return text + fmt.Sprintf("  - revision: %d\n    at: 2026-05-04T08:00:00Z\n    by: somebody\n", n) + strings.Join(lines, "\n") + "\n"
}

// learnt is what a session makes of a text: the next revision with one more fact.
func learnt(text, fact string, entry ...string) string {
	n := revisionOf(text) + 1
	if !strings.Contains(text, "\n  facts:\n") {
		text = stateRevision.ReplaceAllString(text, "$0\n  facts:")
	}
	text = strings.Replace(text, "\n  facts:\n", "\n  facts:\n    - id: "+fact+"\n      text: Something about "+fact+".\n", 1)
	return logs(to(text, n), n, append(entry, "    sections: [state]")...)
}

// reworded is a change of the contract.
func reworded(text string) string {
	return strings.Replace(text, "Name the file and line", "Always name the file and line", 1)
}

// trailers are those that oap would write for a text.
func trailers(t testing.TB, path, text, sections string, more ...string) string {
	t.Helper()
	doc, err := profile.Parse(path, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	digest, err := doc.Digest()
	if err != nil {
		t.Fatal(err)
	}
	spec, _ := doc.SpecDigest()
	return strings.Join(append([]string{
		fmt.Sprintf("%s: r%d something", doc.Name(), doc.Revision()), "", "OAP-Profile: " + doc.Name(), "OAP-Path: " + path,
		fmt.Sprintf("OAP-Revision: %d", doc.Revision()), "OAP-Sections: " + sections,
		"OAP-Profile-Digest: " + digest.String(), "OAP-Spec-Digest: " + spec.String(),
	}, more...), "\n")
}

// record commits a text with its trailers.
func (s *shop) record(path, text, sections string, more ...string) string {
	s.T.Helper()
	return s.Commit(trailers(s.T, path, text, sections, more...), path, text)
}

// session is a state commit as it should be.
func (s *shop) session(path, fact string) string {
	s.T.Helper()
	if path == propose {
		return s.record(path, learnt(s.Read(path), fact, "    approved_by: "+alex), "state", "OAP-Delta: sha256:1", "OAP-Approved-By: "+alex)
	}
	return s.record(path, learnt(s.Read(path), fact), "state", "OAP-Delta: sha256:1")
}

// stamp puts on record what stands in the file.
func (s *shop) stamp(path, sections string) string {
	s.T.Helper()
	n := revisionOf(s.Read(path)) + 1
	text := logs(to(s.Read(path), n), n, "    approved_by: "+alex, "    sections: ["+sections+"]")
	return s.record(path, text, sections, "OAP-Approved-By: "+alex)
}

// TestTampered makes exactly one fault with plain git and wants exactly its finding.
func TestTampered(t *testing.T) {
	for _, tt := range tampered {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			at := tt.make(s)
			got := run(t, s.Repo, s.options)
			ids := []string{}
			for _, f := range got.Findings {
				ids = append(ids, f.ID)
				if at != "" && f.Commit != repo.ID(at) {
					t.Errorf("%s at %s, want %s", f.ID, f.Commit, at)
				}
				if f.Message == "" || (f.Severity == audit.Note) != slices.Contains(notes, f.ID) {
					t.Errorf("%+v", f)
				}
			}
			if diff := cmp.Diff(tt.want, ids); diff != "" {
				t.Errorf("%s (-want +got):\n%s\n%+v", tt.why, diff, got.Findings)
			}
		})
	}
}

var notes = []string{audit.StaleTrailer, audit.BaseChanged, audit.Rebaselined}

func itoa(n int) string { return strconv.Itoa(n) }

func digestOf(t testing.TB, text string) canonical.Digest {
	t.Helper()
	doc, err := profile.Parse(auto, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	d, err := doc.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d
}
