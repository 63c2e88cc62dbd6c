package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// BenchmarkApply times whole processes: oap apply-delta beside what a person would type, git add and
// git commit of one file, in the same repository, at four sizes, checked out and bare. A process that
// does nothing stands beside them, so that its cost can be taken off both.
func BenchmarkApply(b *testing.B) {
	for _, files := range []int{10, 1_000, 10_000, 100_000} {
		r := clocked(oaptest.New(b))
		r.Fill(files)
		r.Commit("profile", ".agents/scout.agent.yaml", crashProfile, "note.txt", "0\n")
		bare := r.At(r.Beside("bare.git"))
		r.Git("clone", "-q", "--bare", r.Dir, bare.Dir)
		name := strconv.Itoa(files)
		b.Run("oap/"+name, func(b *testing.B) { benchApply(b, r, "checked-out") })
		b.Run("oap-bare/"+name, func(b *testing.B) { benchApply(b, bare, "bare") })
		b.Run("git-add-commit/"+name, func(b *testing.B) { benchGit(b, r) })
	}
	b.Run("oap-version", func(b *testing.B) {
		r := oaptest.New(b)
		for b.Loop() {
			if err := command(b, r, "version").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchApply(b *testing.B, r *oaptest.Repo, kind string) {
	dir := b.TempDir()
	revision, err := strconv.Atoi(r.Git("log", "-1", "--format=%(trailers:key=OAP-Revision,valueonly)", "--grep=OAP-Revision"))
	if err != nil {
		revision = 1
	}
	oapBinary(b)
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		name := writeDelta(b, dir, fmt.Sprintf("%s-%d-%d", kind, revision, i), revision+i)
		b.StartTimer()
		if out, err := command(b, r, "apply-delta", name).CombinedOutput(); err != nil {
			b.Fatalf("%v\n%s", err, out)
		}
	}
}

func benchGit(b *testing.B, r *oaptest.Repo) {
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		text := fmt.Sprintln(i, time.Now().UnixNano())
		if err := os.WriteFile(filepath.Join(r.Dir, "note.txt"), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for _, args := range [][]string{{"add", "note.txt"}, {"commit", "-q", "-m", "note"}} {
			cmd := exec.Command("git", args...)
			cmd.Dir, cmd.Env = r.Dir, r.Env
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v\n%s", err, out)
			}
		}
	}
}
