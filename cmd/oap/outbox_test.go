package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/open-agent-profile/oap/repo"
)

// boxed makes an outbox with files, and an app that empties it.
func boxed(t *testing.T, files map[string]string) (*app, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return newApp(nil, nil, nil, func(name string) string { return map[string]string{"OAP_OUTBOX": dir}[name] }), dir
}

func wantFile(t *testing.T, name, want string) {
	t.Helper()
	if got, err := os.ReadFile(name); err != nil || string(got) != want {
		t.Errorf("%s: %q, %v, want %q", name, got, err, want)
	}
}

// TestOutboxKeepsWhatComesMeanwhile wants a delta that is replaced during the run to stay in the outbox: what moves to
// done/ is what was read.
func TestOutboxKeepsWhatComesMeanwhile(t *testing.T) {
	a, dir := boxed(t, map[string]string{"a.delta.yaml": "old"})
	box, err := a.openOutbox(nil)
	if err != nil {
		t.Fatal(err)
	}
	source := filepath.Join(dir, "a.delta.yaml")
	if err := os.WriteFile(source, []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	inputs, err := a.readDeltas(box.files)
	if err != nil || len(inputs) != 1 || string(inputs[0].data) != "old" || inputs[0].name != source {
		t.Fatalf("%v, %v", inputs, err)
	}
	if err := box.done(source); err != nil {
		t.Fatal(err)
	}
	a.close()
	wantFile(t, source, "new")
	wantFile(t, filepath.Join(dir, "done", "a.delta.yaml"), "old")
}

// TestOutboxGivesBack wants what was busy, or never reached, to be in the outbox again, beside what came meanwhile.
func TestOutboxGivesBack(t *testing.T) {
	a, dir := boxed(t, map[string]string{"a.delta.yaml": "busy", "b.delta.json": "not reached", "c.txt": "no delta"})
	box, err := a.openOutbox(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.delta.yaml"), []byte("new"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := box.failed(box.files[0], &repo.Error{Kind: repo.Busy, Msg: "busy"}); err != nil {
		t.Fatal(err)
	}
	a.close()
	wantFile(t, filepath.Join(dir, "a.delta.yaml"), "new")
	wantFile(t, filepath.Join(dir, "1-a.delta.yaml"), "busy")
	wantFile(t, filepath.Join(dir, "b.delta.json"), "not reached")
	wantFile(t, filepath.Join(dir, "c.txt"), "no delta")
}

// TestOutboxAfterACrash wants what an interrupted run has taken to come first, under its own name, also beside a new
// delta of that name.
func TestOutboxAfterACrash(t *testing.T) {
	a, dir := boxed(t, map[string]string{"a.delta.yaml": "a1", "b.delta.yaml": "b1"})
	if _, err := a.openOutbox(nil); err != nil { // and no close
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.delta.yaml"), []byte("a2"), 0o644); err != nil {
		t.Fatal(err)
	}
	next, _ := boxed(t, nil)
	next.getenv = a.getenv
	box, err := next.openOutbox(nil)
	if err != nil {
		t.Fatal(err)
	}
	inputs, err := next.readDeltas(box.files)
	var order []string
	for _, in := range inputs {
		order = append(order, string(in.data))
		if err := box.done(in.name); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"a1", "b1", "a2"}; err != nil || !slices.Equal(order, want) {
		t.Fatalf("%v, %v, want %v", order, err, want)
	}
	wantFile(t, filepath.Join(dir, "done", "a.delta.yaml"), "a1")
	wantFile(t, filepath.Join(dir, "done", "1-a.delta.yaml"), "a2")
	// The run that was taken for dead has nothing left to move, and loses nothing.
	if err := a.outbox.done(filepath.Join(dir, "a.delta.yaml")); err != nil {
		t.Error(err)
	}
	a.close()
	next.close()
	left, err := filepath.Glob(filepath.Join(dir, "*.delta.yaml"))
	if err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
