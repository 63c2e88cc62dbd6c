package agentmanifest

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/internal/textedit"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/schemas"
)

// What a registry takes, in bytes: of a pack.json and of any other file of a pack (OpenWOP threat model, node packs).
const (
	MaxPack = 256 << 10
	MaxFile = 5 << 20
)

var segment = regexp.MustCompile(`^[a-z][a-zA-Z0-9_-]*$`)

// CheckPack lists everything that is wrong with a pack.json: the schema, each agent's own, and what no schema can
// see. open reads a file of the pack by its path, relative and with slashes, and must not follow links out of the
// pack; nil leaves files alone.
func CheckPack(doc *profile.Document, target Target, open func(name string) ([]byte, error)) []Violation {
	c := &checker{doc: doc, target: target}
	c.schema("pack", "", "", doc.Value)
	if n := len(doc.Bytes()); n > MaxPack {
		c.add(profile.Error, "", "pack-size", "", "the file has %d bytes, and registries take %d", n, MaxPack)
	}
	name, agents := text(doc.Value["name"]), list(doc.Value["agents"])
	runtime, _ := doc.Value["runtime"].(map[string]any)
	if language := text(runtime["language"]); len(agents) > 0 && doc.Value["nodes"] == nil && language != "" && language != "remote" {
		c.add(profile.Error, "", "pack-runtime", "/runtime/language", "a pack of agents alone runs nothing of its own: the language is remote, not %s", language)
	}
	first, lasting := map[string]int{}, needsLongTerm(doc.Value)
	for i, v := range agents {
		at := canonical.Pointer{"agents", strconv.Itoa(i)}.String()
		c.agent(v, at)
		m, ok := v.(map[string]any)
		if !ok {
			continue
		}
		id := text(m["agentId"])
		c.identity(name, id, at, first, i)
		c.refs(m, id, at, open)
		if lasting && Role(m) == "skill" {
			c.add(profile.Warning, id, "skill-memory", at, "the pack demands a backend for lasting memory, and this skill may not use one")
		}
	}
	return c.sorted()
}

// identity holds an agentId to the name of its pack and one segment more (RFC 0003 section B).
func (c *checker) identity(pack, id, at string, first map[string]int, i int) {
	if id == "" {
		return
	}
	if rest, ok := strings.CutPrefix(id, pack+"."); pack != "" && (!ok || !segment.MatchString(rest)) {
		c.add(profile.Error, id, "agent-namespace", at+"/agentId", "the id of an agent of this pack is %s and one segment more, such as %s.default", pack, pack)
	}
	if before, twice := first[id]; twice {
		c.add(profile.Error, id, "duplicate-agent", at+"/agentId", "agent %d has this id already, counted from 0", before)
	} else {
		first[id] = i
	}
}

func needsLongTerm(pack map[string]any) bool {
	const key = "openwop.agents.memoryBackends"
	needs, _ := pack["peerDependencies"].(map[string]any)
	all, _ := pack["peerDependenciesMeta"].(map[string]any)
	meta, _ := all[key].(map[string]any)
	return strings.Contains(text(needs[key]), "longTerm") && meta["optional"] != true
}

// refs holds the files that an agent names to the pack (RFC 0003 sections C and D).
func (c *checker) refs(m map[string]any, id, at string, open func(string) ([]byte, error)) {
	check := func(pointer string, v any, isSchema bool) {
		ref, ok := v.(string)
		if !ok || ref == "" {
			return
		}
		if why := Outside(ref); why != "" {
			c.add(profile.Error, id, "path", at+pointer, "%q %s", ref, why)
			return
		}
		if open == nil {
			return
		}
		data, err := open(ref)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			c.add(profile.Error, id, "missing-file", at+pointer, "%q is not in the pack", ref)
		case err != nil:
			c.add(profile.Error, id, "missing-file", at+pointer, "%q cannot be read: %v", ref, err)
		case !utf8.Valid(data):
			c.add(profile.Error, id, "missing-file", at+pointer, "%q is not UTF-8", ref)
		case isSchema:
			if why := NotSchema(data); why != "" {
				c.add(profile.Error, id, "handoff-schema", at+pointer, "%q is no JSON Schema: %s", ref, why)
			}
		}
	}
	check("/systemPromptRef", m["systemPromptRef"], false)
	check("/evalSuiteRef", m["evalSuiteRef"], false)
	handoff, _ := m["handoff"].(map[string]any)
	check("/handoff/taskSchemaRef", handoff["taskSchemaRef"], true)
	check("/handoff/returnSchemaRef", handoff["returnSchemaRef"], true)
}

// Outside says why a reference does not stay in a pack; "" where it does.
func Outside(ref string) string {
	switch {
	case path.IsAbs(ref) || strings.ContainsAny(ref, `\:`):
		return "is no path inside the pack: it is relative, with slashes"
	case strings.ContainsFunc(ref, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return "holds control characters"
	case ref != path.Clean(ref) || ref == "." || ref == ".." || strings.HasPrefix(ref, "../"):
		return "is no plain path inside the pack: parts such as .. and // are refused"
	}
	return ""
}

// NotSchema says why a text is no JSON Schema 2020-12 that a host could load; "" where nothing speaks against it.
// References are not resolved.
func NotSchema(data []byte) string {
	if word := strings.TrimSpace(string(data)); word == "true" || word == "false" {
		return "" // a schema, too
	}
	doc, err := textedit.Parse(data, textedit.JSON, textedit.Options{})
	if err != nil {
		return err.Error()
	}
	m, _ := doc.Value().(map[string]any)
	if dialect, ok := m["$schema"]; ok && strings.TrimSuffix(text(dialect), "#") != "https://json-schema.org/draft/2020-12/schema" {
		return fmt.Sprintf("its dialect is %v, and OpenWOP takes 2020-12", dialect)
	}
	for _, v := range schemas.Validate("json-schema", doc.Value()) {
		return fmt.Sprintf("%s: %s", v.Pointer, v.Message)
	}
	return ""
}
