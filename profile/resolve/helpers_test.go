package resolve

import (
	"context"
	"encoding/json"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/profile"
)

var testRoots = []Root{
	{Name: "managed", Path: "/etc/h/agents", Trust: Managed},
	{Name: "user", Path: "/home/.agentprofiles", Trust: User},
	{Name: "native user", Path: "/home/.config/h/agents", Trust: User},
	{Name: "project", Path: "ws/.agents", Trust: Project},
	{Name: "plugin", Path: "plug", Trust: Project},
}

// files are profiles by path; the longest root that a path begins with has it.
type files map[string]string

func (f files) loader() FSLoader {
	return FSLoader{Open: func(r Root) (fs.FS, error) {
		tree := fstest.MapFS{}
		for p, text := range f {
			if rest, ok := strings.CutPrefix(p, r.Path+"/"); ok {
				tree[rest] = &fstest.MapFile{Data: []byte(text)}
			}
		}
		if len(tree) == 0 {
			return nil, fs.ErrNotExist
		}
		return tree, nil
	}}
}

// short writes a profile of one line each for what differs.
func short(name, more string, extends ...string) string {
	text := "oap: \"1.0\"\nkind: AgentProfile\n"
	if len(extends) > 0 {
		text += "extends:\n"
		for _, e := range extends {
			if !strings.Contains(e, ":") {
				e = "name: " + e
			}
			text += "  - {" + e + "}\n"
		}
	}
	if !strings.Contains(more, "metadata:") {
		text += "metadata: {name: " + name + ", description: An agent of a test.}\n"
	}
	if !strings.Contains(more, "spec:") {
		text += "spec: {role: {instructions: Be " + name + ".}}\n"
	}
	return text + more
}

// open takes a file by path, as the project's.
func (f files) open(t testing.TB, p string) *Source {
	t.Helper()
	text, ok := f[p]
	if !ok {
		t.Fatalf("no file %s", p)
	}
	d, err := profile.Parse(p, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	root := Root{Path: path.Dir(p), Trust: Project}
	for _, r := range testRoots {
		if strings.HasPrefix(p, r.Path+"/") {
			root = r
		}
	}
	return &Source{Root: root, Path: p, Document: d}
}

func (f files) resolve(t testing.TB, p string, o Options) (*Resolved, error) {
	t.Helper()
	return Resolve(context.Background(), f.loader(), testRoots, f.open(t, p), o)
}

func (f files) mustResolve(t testing.TB, p string, o Options) *Resolved {
	t.Helper()
	r, err := f.resolve(t, p, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// at gives a place of a value as JSON; "" where there is none.
func at(v any, pointer string) string {
	p, err := canonical.ParsePointer(pointer)
	if err != nil {
		return err.Error()
	}
	got, ok := canonical.Get(v, p)
	if !ok {
		return ""
	}
	b, err := json.Marshal(got)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
