package audit_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/repo"
	"github.com/open-agent-profile/oap/repo/audit"
)

// keys makes SSH keys beside the repository and a file that knows some of them; signing is switched on with a name.
func (s *shop) keys(names ...string) (signers string) {
	s.T.Helper()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		s.T.Skip("needs ssh-keygen")
	}
	var lines strings.Builder
	for _, name := range append(names, "mallory") {
		file := s.Beside("key-" + name)
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file).CombinedOutput(); err != nil {
			s.T.Fatalf("%v\n%s", err, out)
		}
		pub, err := os.ReadFile(file + ".pub")
		if err != nil {
			s.T.Fatal(err)
		}
		if name != "mallory" {
			lines.WriteString(name + "@example.org " + string(pub))
		}
	}
	signers = s.Beside("signers")
	if err := os.WriteFile(signers, []byte(lines.String()), 0o600); err != nil {
		s.T.Fatal(err)
	}
	s.Git("config", "gpg.format", "ssh")
	return signers
}

func (s *shop) signAs(name string) {
	s.Git("config", "commit.gpgsign", "true")
	s.Git("config", "user.signingkey", s.Beside("key-"+name+".pub"))
}

func ids(report *audit.Report) []string {
	out := []string{}
	for _, f := range report.Findings {
		out = append(out, f.ID)
	}
	return out
}

func TestSignatures(t *testing.T) {
	tests := []struct {
		name, why string
		make      func(s *shop)
		want      []string
		grade     string
		in        bool // the file of signers is one of the repository
	}{
		{name: "good", why: "a known key", want: []string{}, grade: audit.Signed, make: func(s *shop) { s.signAs("alex"); s.session(propose, "fact-a") }},
		{name: "forge", why: "the forge signs what it merged", want: []string{}, grade: audit.ForgeReviewed, make: func(s *shop) { s.signAs("forge"); s.session(propose, "fact-a") }},
		{name: "none", why: "signatures are wanted", want: []string{audit.Unsigned}, grade: audit.Asserted, make: func(s *shop) { s.session(propose, "fact-a") }},
		{name: "unknown", why: "anybody can make a key", want: []string{audit.BadSignature}, grade: audit.Asserted, make: func(s *shop) { s.signAs("mallory"); s.session(propose, "fact-a") }},
		{name: "altered", why: "the signature is of another commit", want: []string{audit.BadSignature}, grade: audit.Asserted, make: func(s *shop) {
			s.signAs("alex")
			s.session(propose, "fact-a")
			text := strings.Replace(s.Git("cat-file", "commit", "HEAD")+"\n", "author Ada Author", "author Eve Author", 1)
			s.Git("update-ref", "refs/heads/main", s.GitIn(text, "hash-object", "-t", "commit", "-w", "--stdin"))
		}},
		{name: "keys of their own", why: "the range brings the key that it is signed with", want: []string{audit.BadSignature}, grade: audit.Asserted, in: true, make: func(s *shop) {
			s.signAs("mallory")
			pub, _ := os.ReadFile(s.Beside("key-mallory.pub"))
			s.Commit("keys", "signers", "mallory@example.org "+string(pub))
			s.session(propose, "fact-a")
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			o := audit.Options{RequireSignatures: true, Signatures: audit.Signatures{Check: true, AllowedSigners: s.keys("alex", "forge"), Forges: []string{"forge@example.org"}}}
			if tt.in {
				o.Signatures.AllowedSigners = filepath.Join(s.Dir, "signers")
			}
			o.Start = repo.ID(s.Git("rev-parse", "HEAD"))
			tt.make(s)
			got := run(t, s.Repo, o)
			if diff := cmp.Diff(tt.want, ids(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.why, diff)
			}
			if len(got.Approvals) != 1 || got.Approvals[0].Grade != tt.grade || got.Approvals[0].By != alex {
				t.Errorf("approvals %+v, want one that is %s", got.Approvals, tt.grade)
			}
		})
	}
}

func without(list []string, gone string) []string {
	var out []string
	for _, s := range list {
		if s != gone {
			out = append(out, s)
		}
	}
	return out
}

// After a purge the old tip is gone; a signed commit may say so, and nothing before it is judged.
func TestRebaseline(t *testing.T) {
	for _, tt := range []struct {
		name, key string
		want      []string
	}{
		{"signed", "alex", []string{audit.Rebaselined}},
		{"signed by somebody", "mallory", []string{audit.HistoryRewritten}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			signers := s.keys("alex")
			s.session(auto, "fact-a")
			old := s.session(auto, "fact-b")
			// What filter tools leave: the same trailers on other documents.
			s.Write(auto, strings.Replace(s.Read(auto), "Something about fact-a.", "(purged)", 1))
			s.Git("commit", "-q", "-a", "--amend", "--no-edit")
			purged := s.Git("rev-parse", "HEAD")
			s.signAs(tt.key)
			s.Git("commit", "-q", "--allow-empty", "-m", "Forget what a session wrote down\n\nOAP-Rebaseline-Old: "+old+"\nOAP-Rebaseline-New: "+purged)
			s.session(propose, "fact-c")
			o := audit.Options{Start: repo.ID(old), Signatures: audit.Signatures{Check: true, AllowedSigners: signers}}
			got := run(t, s.Repo, o)
			if diff := cmp.Diff(tt.want, without(ids(got), audit.DigestMismatch)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			o.Start = ""
			if got := ids(run(t, s.Repo, o)); tt.key == "alex" && len(got) != 1 || tt.key != "alex" && got[0] != audit.DigestMismatch {
				t.Errorf("the whole history: %v", got)
			}
		})
	}
}
