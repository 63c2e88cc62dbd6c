package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/open-agent-profile/oap/canonical"
	"github.com/open-agent-profile/oap/repo"
)

const (
	notesKind = "git-notes-dir"
	maxNote   = 64 << 10
)

// noteKey has no dot, so that no note is a profile, a delta or a file of git's.
var noteKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9](?:[a-z0-9_-]{0,98}[a-z0-9])?$`)
})

// notes is a folder of notes, opened so that no link in it leads out.
type notes struct {
	root        *os.Root
	store, dir  string // dir is from the top of the workspace
	scope, part string // part is the folder of the scope
}

func (n *notes) close() { n.root.Close() }

func refuseMemory(store, format string, args ...any) error {
	return &repo.Error{Kind: repo.Refused, Reason: "memory", Path: store, Msg: fmt.Sprintf(format, args...)}
}

// openNotes opens a store of a session, within the mode and the scopes of that.
func (a *app) openNotes(ctx context.Context, session, store, scope string, write bool) (*notes, error) {
	rec, err := a.anyRecord(ctx, session)
	if err != nil {
		return nil, err
	}
	e := rec.Effective
	switch mode, why := e.Memory(store, scope); {
	case mode == "off":
		return nil, refuseMemory(store, "the store is closed to this session: %s", why)
	case write && mode != "read_write":
		return nil, refuseMemory(store, "this session may only read the store")
	}
	kind, uri := storeOf(e.Spec, store)
	if kind != notesKind {
		return nil, refuseMemory(store, "oap keeps stores of the kind %s, and not %q", notesKind, kind)
	}
	root, err := openFolder(e.Workspace, uri)
	if err != nil {
		return nil, refuseMemory(store, "%v", err)
	}
	return &notes{root: root, store: store, dir: uri, scope: scope, part: scopeFolder(scope)}, nil
}

// storeOf finds what a contract says of a store.
func storeOf(spec map[string]any, name string) (kind, uri string) {
	v, _ := canonical.Get(spec, canonical.Pointer{"memory", "stores"})
	stores, _ := v.([]any)
	for _, s := range stores {
		if m, ok := s.(map[string]any); ok && m["name"] == any(name) {
			kind, _ = m["kind"].(string)
			uri, _ = m["uri"].(string)
			return kind, uri
		}
	}
	return "", ""
}

// openFolder opens a folder below the workspace. A profile says where it is, so it lies nowhere else, and not
// among git's own files.
func openFolder(workspace, uri string) (*os.Root, error) {
	dir := filepath.FromSlash(uri)
	if workspace == "" {
		return nil, errors.New("the session has no workspace")
	}
	if !filepath.IsLocal(dir) || dir == "." {
		return nil, fmt.Errorf("%q is not a folder below the workspace", uri)
	}
	for seg := range strings.SplitSeq(filepath.ToSlash(dir), "/") {
		if strings.EqualFold(seg, ".git") {
			return nil, fmt.Errorf("%q belongs to git", uri)
		}
	}
	if !exists(filepath.Join(workspace, ".git")) {
		return nil, errors.New("the workspace is not the top of a git working tree")
	}
	top, err := os.OpenRoot(workspace)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	return top.OpenRoot(dir)
}

// scopeFolder spells a scope as one folder, also where letter case makes no difference.
func scopeFolder(scope string) string {
	var b strings.Builder
	for i := range len(scope) {
		c := scope[i]
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	if b.Len() == 0 {
		return "."
	}
	return b.String()
}

func (n *notes) file(key string) string { return path.Join(n.part, key+".md") }

// path is where a note lies, from the top of the workspace.
func (n *notes) path(key string) string { return path.Join(filepath.ToSlash(n.dir), n.file(key)) }

func (n *notes) list() ([]noted, error) {
	entries, err := fs.ReadDir(n.root.FS(), n.part)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []noted
	for _, e := range entries {
		key, ok := strings.CutSuffix(e.Name(), ".md")
		if !ok || !noteKey().MatchString(key) || !e.Type().IsRegular() {
			continue
		}
		info, err := e.Info()
		if err != nil {
			return nil, err
		}
		all = append(all, noted{"note", n.store, n.scope, key, int(info.Size()), nil})
	}
	return all, nil
}

func (n *notes) get(key string) ([]byte, error) {
	if !noteKey().MatchString(key) {
		return nil, usagef("the key %q is not small letters, digits, - and _", key)
	}
	// Only what is a file is opened: a pipe would never end.
	info, err := n.root.Lstat(n.file(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &repo.Error{Kind: repo.NotFound, Reason: "note", Path: n.path(key), Msg: "no such note"}
	}
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxNote {
		return nil, refuseMemory(n.path(key), "is not a note: not a file, or larger than %d bytes", maxNote)
	}
	f, err := n.root.Open(n.file(key))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxNote))
}

// put replaces a note at once: a reader sees the old text or the new one.
func (n *notes) put(key string, text []byte) error {
	if !noteKey().MatchString(key) {
		return usagef("the key %q is not small letters, digits, - and _", key)
	}
	if len(text) > maxNote || !utf8.Valid(text) {
		return refuseMemory(n.path(key), "a note is UTF-8 text of at most %d bytes", maxNote)
	}
	if n.part != "." {
		if err := n.root.Mkdir(n.part, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	temp := path.Join(n.part, ".oap-"+newSessionID())
	f, err := n.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = n.root.Rename(temp, n.file(key))
	}
	if err != nil {
		return errors.Join(err, n.root.Remove(temp))
	}
	return nil
}
