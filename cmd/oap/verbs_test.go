package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/gowebpki/jcs"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/oaptest"
)

// scriptVerbs are what scripts can say beyond testscript's own commands.
var scriptVerbs = map[string]func(*testscript.TestScript, bool, []string){
	"exits":     verbExits,
	"mkrepo":    verbMkrepo,
	"fsck":      verbFsck,
	"onlypaths": verbOnlyPaths,
	"samebytes": verbSameBytes,
	"jsoncmp":   verbJSONCmp,
	"jsonfield": verbJSONField,
	"jcsdigest": verbJCSDigest,
	"sarif":     verbSARIF,
	"gitlab":    verbGitLab,
	"crowd":     verbCrowd,
	"hostile":   verbHostile,
}

// wants checks the number of arguments; most is -1 where there is no limit.
func wants(ts *testscript.TestScript, neg, negatable bool, args []string, least, most int, usage string) {
	if len(args) < least || most >= 0 && len(args) > most || neg && !negatable {
		ts.Fatalf("usage: %s", usage)
	}
}

// exits N prog args... wants the exact exit code; "! exec" would take a crash for a refusal.
func verbExits(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 2, -1, "exits CODE PROGRAM [ARGS...]")
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s: exit %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}

// mkrepo DIR [ARGS...] makes an empty repository with the branch main; ARGS go to git init.
func verbMkrepo(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 1, -1, "mkrepo DIR [ARGS...]")
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(oaptest.Init(dir, args[1:]...))
}

// fsck wants git to find nothing wrong with the repository, and nothing changed in the working tree.
func verbFsck(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 0, 1, "fsck [DIR]")
	in := []string{"-C", "."}
	if len(args) == 1 {
		in[1] = args[0]
	}
	for _, check := range [][]string{{"-c", "core.commitGraph=false", "-c", "core.multiPackIndex=false", "fsck", "--strict", "--no-dangling", "--no-progress"}, {"status", "--porcelain"}} {
		err := ts.Exec("git", append(in, check...)...)
		said := strings.Join(slices.DeleteFunc(strings.Split(ts.ReadFile("stdout")+ts.ReadFile("stderr"), "\n"), func(line string) bool {
			return line == "" || strings.HasPrefix(line, "notice: ") // of a branch before its first commit
		}), "\n")
		if err != nil || said != "" {
			ts.Fatalf("git %s: %v\n%s", strings.Join(check, " "), err, said)
		}
	}
}

// onlypaths REV path... wants a commit to change exactly these paths.
func verbOnlyPaths(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 1, -1, "onlypaths REV PATH...")
	ts.Check(ts.Exec("git", "diff-tree", "--root", "--no-commit-id", "--name-only", "-r", "-z", args[0]))
	got := strings.FieldsFunc(ts.ReadFile("stdout"), func(c rune) bool { return c == 0 })
	want := slices.Clone(args[1:])
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		ts.Fatalf("%s changes %q, want %q", args[0], got, want)
	}
}

// samebytes A B is cmp for files of any content, never updated.
func verbSameBytes(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, true, args, 2, 2, "[!] samebytes FILE FILE")
	if same := ts.ReadFile(args[0]) == ts.ReadFile(args[1]); same == neg {
		ts.Fatalf("%s and %s: the same bytes is %t", args[0], args[1], same)
	}
}

// jsoncmp A B compares JSON values, or lines of them; the order of members does not matter.
func verbJSONCmp(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, true, args, 2, 2, "[!] jsoncmp GOT WANT")
	diff := cmp.Diff(jsonValues(ts, args[1]), jsonValues(ts, args[0]))
	if (diff == "") == neg {
		ts.Fatalf("%s and %s (-want +got):\n%s", args[0], args[1], diff)
	}
}

func jsonValues(ts *testscript.TestScript, file string) []any {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(file)))
	var values []any
	for {
		var v any
		err := dec.Decode(&v)
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			ts.Fatalf("%s: value %d: %v", file, len(values)+1, err)
		}
		values = append(values, v)
	}
}

// jsonfield FILE POINTER [WANT] looks at the last JSON value of a file. A text is compared as it is, everything else
// as JSON. Without WANT the place has to exist; with "!" it must not.
func verbJSONField(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, true, args, 2, 3, "[!] jsonfield FILE POINTER [WANT]")
	values := jsonValues(ts, args[0])
	if len(values) == 0 {
		ts.Fatalf("%s holds no JSON", args[0])
	}
	p, err := canonical.ParsePointer(args[1])
	ts.Check(err)
	v, ok := canonical.Get(values[len(values)-1], p)
	if len(args) == 2 {
		if ok == neg {
			ts.Fatalf("%s: something at %s is %t", args[0], args[1], ok)
		}
		return
	}
	got, isText := v.(string)
	if !isText {
		text, err := json.Marshal(v)
		ts.Check(err)
		got = string(text)
	}
	if (ok && got == args[2]) == neg {
		ts.Fatalf("%s: %s is %s, want %s", args[0], args[1], got, args[2])
	}
}

// jcsdigest FILE computes both digests of a JSON profile without oap's code and sets PROFILE_DIGEST and SPEC_DIGEST.
// The specification's rule for the second is written out here once more on purpose.
func verbJCSDigest(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 1, 1, "jcsdigest FILE.json")
	text := []byte(ts.ReadFile(args[0]))
	var doc struct {
		Metadata map[string]json.RawMessage `json:"metadata"`
		Spec     json.RawMessage            `json:"spec"`
	}
	ts.Check(json.Unmarshal(text, &doc))
	for _, k := range []string{"revision", "updated_at", "trust"} {
		delete(doc.Metadata, k)
	}
	spec, err := json.Marshal(doc)
	ts.Check(err)
	for name, text := range map[string][]byte{"PROFILE_DIGEST": text, "SPEC_DIGEST": spec} {
		bytes, err := jcs.Transform(text)
		ts.Check(err)
		sum := sha256.Sum256(bytes)
		ts.Setenv(name, "sha256:"+hex.EncodeToString(sum[:]))
	}
}

// crowd DIR N fills a folder with valid profiles.
func verbCrowd(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 2, 2, "crowd DIR N")
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	for i := range n {
		name := fmt.Sprintf("%s-%d", filepath.Base(dir), i)
		text := fmt.Sprintf(`{"oap": "1.0", "kind": "AgentProfile", "metadata": {"name": %q, "description": "Finds where a feature lives."},
 "spec": {"role": {"instructions": "Look."}}}`, name)
		ts.Check(os.WriteFile(filepath.Join(dir, name+".agent.json"), []byte(text), 0o644))
	}
}

// hostile sets HOSTILE to a text that steers terminals and logs, and makes the folder names with a profile of that
// file name.
func verbHostile(ts *testscript.TestScript, neg bool, args []string) {
	wants(ts, neg, false, args, 0, 0, "hostile")
	dir := ts.MkAbs("names")
	ts.Check(os.Mkdir(dir, 0o755))
	const name = "\x1b[2J\u202e\n::error::x"
	ts.Setenv("HOSTILE", name)
	ts.Check(os.WriteFile(filepath.Join(dir, name+".agent.yaml"), []byte("kind: AgentProfile\n"), 0o644))
}

// strictly decodes JSON and refuses members that the type does not have.
func strictly(text string, into any) error {
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("more than one JSON value")
	}
	return nil
}
