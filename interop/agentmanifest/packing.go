package agentmanifest

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
)

// Packing are the choices of a pack.
type Packing struct {
	Version string // a semantic version: a revision is none
	Target  Target
	// PromptFiles puts every prompt into a file of its own. Without, that is done only where pack.json
	// would be larger than registries take, since the tools that publish packs leave such files out.
	PromptFiles bool
}

// Pack makes a pack of agents alone: the bytes of its files by path, pack.json among them. read gives the bytes of
// a file that the manifest of a profile names. The error is a [profile.InvalidError] where the pack would be
// refused, one bad agent being enough.
func Pack(all []*Export, docs []*profile.Document, p Packing, read func(export int, name string) ([]byte, error)) (map[string][]byte, error) {
	files := map[string][]byte{}
	owner := map[string]string{}
	var found []profile.Finding
	refuse := func(doc *profile.Document, at, format string, args ...any) {
		found = append(found, doc.Finding(profile.Error, "pack", at, fmt.Sprintf(format, args...)))
	}
	name := ""
	for i, x := range all {
		id := text(x.Manifest["agentId"])
		space, last := id[:strings.LastIndexByte(id, '.')], id[strings.LastIndexByte(id, '.')+1:]
		switch {
		case name == "":
			name = space
		case name != space:
			refuse(docs[i], "/metadata/name", "the agents of a pack have its name and one segment more, and %s is not below %s", id, name)
		}
		if strings.HasPrefix(id, "local.") {
			refuse(docs[i], "/metadata/name", "%s is an agent that is not published, and no pack is named local", id)
		}
		prompt := path.Join("prompts", last+".md")
		if before, twice := owner[prompt]; twice {
			refuse(docs[i], "/metadata/name", "%s and %s have the same agentId", before, x.Profile)
		}
		owner[prompt] = x.Profile
		for _, f := range x.Files {
			data, err := read(i, f.Path)
			if err != nil {
				return nil, err
			}
			if there, twice := files[f.Path]; twice && string(there) != string(data) {
				refuse(docs[i], f.Pointer, "%s is another file in another profile of the pack", f.Path)
			}
			files[f.Path] = data
		}
	}
	if len(found) > 0 {
		return nil, &profile.InvalidError{Findings: found}
	}
	pack := header(all, docs, name, p)
	text, err := packed(pack, all, files, p.PromptFiles)
	if err == nil && len(text) > MaxPack && !p.PromptFiles {
		text, err = packed(pack, all, files, true)
	}
	if err != nil {
		return nil, err
	}
	files["pack.json"] = text
	return files, judge(text, p.Target, files)
}

// judge holds a pack to what a registry holds it to.
func judge(text []byte, target Target, files map[string][]byte) error {
	doc, err := profile.Parse("pack.json", text)
	if err != nil {
		return err
	}
	var found []profile.Finding
	for _, v := range CheckPack(doc, target, func(name string) ([]byte, error) {
		data, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		if len(data) > MaxFile {
			return nil, TooLarge(len(data))
		}
		return data, nil
	}) {
		if v.Severity == profile.Error {
			v.Message += " (" + Rejected + ")"
			found = append(found, v.Finding)
		}
	}
	if len(found) > 0 {
		return &profile.InvalidError{Findings: found}
	}
	return nil
}

// TooLarge is the error for a file of n bytes that no registry takes.
func TooLarge[N int | int64](n N) error {
	return fmt.Errorf("it has %d bytes, and registries take %d", n, MaxFile)
}

// packed writes pack.json with the agents in it, and the prompts into files where they are wanted there.
func packed(pack map[string]any, all []*Export, files map[string][]byte, apart bool) ([]byte, error) {
	agents := []any{}
	for _, x := range all {
		m := canonical.Clone(x.Manifest).(map[string]any)
		if apart {
			id := text(m["agentId"])
			ref := path.Join("prompts", id[strings.LastIndexByte(id, '.')+1:]+".md")
			if _, taken := files[ref]; taken {
				return nil, fmt.Errorf("%s of %s is there already, and its prompt would be written there", ref, x.Profile)
			}
			files[ref] = []byte(text(m["systemPrompt"]) + "\n")
			delete(m, "systemPrompt")
			m["systemPromptRef"] = ref
		}
		agents = append(agents, m)
	}
	pack["agents"] = agents
	return textedit.Encode(pack, textedit.JSON, manifestOrder{"pack"}, textedit.Options{})
}

// header gives what a pack says of itself.
func header(all []*Export, docs []*profile.Document, name string, p Packing) map[string]any {
	engines := map[Target]string{V1: ">=1.0.0 <2.0.0", V2: ">=2.0.0 <3.0.0", Both: ">=1.0.0 <3.0.0"}
	pack := map[string]any{
		"name": name, "version": p.Version, "kind": "node",
		"engines": map[string]any{"openwop": engines[p.Target]},
		"runtime": map[string]any{"language": "remote", "entry": "pack.json"},
	}
	if len(docs) == 1 {
		pack["description"] = docs[0].Description()
	}
	// What all profiles say alike is said of the pack.
	for _, m := range []struct{ member, key string }{{"license", "license"}, {"homepage", "homepage"}, {"authors", "author"}, {"tags", "keywords"}} {
		v := agreed(docs, m.member)
		if authors := list(v); m.key == "author" && len(authors) > 0 {
			var names []string
			for _, name := range authors {
				names = append(names, text(name))
			}
			v = strings.Join(names, ", ")
		}
		if v == nil || m.key == "author" && text(v) == "" {
			continue
		}
		pack[m.key] = v
		for _, x := range all {
			at := "/metadata/" + m.member
			x.Dropped = slices.DeleteFunc(x.Dropped, func(d Dropped) bool { return d.Pointer == at })
			x.Mapped = append(x.Mapped, Mapped{"/" + m.key, at, "of the pack"})
		}
	}
	if p.Target != V1 { // v2 names families of its own
		return pack
	}
	needs := map[string]any{"agents.manifestRuntime": "supported", "aiProviders": "supported"}
	if slices.ContainsFunc(all, func(x *Export) bool {
		shape, _ := x.Manifest["memoryShape"].(map[string]any)
		return shape["longTerm"] == true
	}) {
		needs["openwop.agents.memoryBackends"] = ">=longTerm"
	}
	pack["peerDependencies"] = needs
	return pack
}

// agreed gives a member of metadata that all documents have alike, else nil.
func agreed(docs []*profile.Document, member string) any {
	var v any
	for i, d := range docs {
		meta, _ := d.Value["metadata"].(map[string]any)
		if i > 0 && !canonical.Equal(v, meta[member]) {
			return nil
		}
		v = meta[member]
	}
	return v
}
