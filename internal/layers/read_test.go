package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

const module = "github.com/open-agent-profile/oap"

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Dir string
	Module          *struct{ Main bool }
	Deps            []string
}

// units reads all packages of the module.
func units() ([]unit, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Module,Deps", module+"/...")
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", cmd.Args, err, stderr.Bytes())
	}
	var all []unit
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if l.Module == nil || !l.Module.Main {
			continue
		}
		u, err := readUnit(l)
		if err != nil {
			return nil, err
		}
		all = append(all, u)
	}
}

// readUnit adds what the files say. They are read whatever system they are for, which `go list` does not.
func readUnit(l listed) (unit, error) {
	u := unit{name: ours(l.ImportPath), reached: l.Deps, files: map[string]int{}}
	names, err := filepath.Glob(filepath.Join(l.Dir, "*.go"))
	if err != nil {
		return unit{}, err
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			return unit{}, err
		}
		u.files[filepath.Base(name)] = bytes.Count(src, []byte("\n"))
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		imports, calls, err := readFile(filepath.Base(name), src)
		if err != nil {
			return unit{}, err
		}
		u.imports = append(u.imports, imports...)
		u.calls = append(u.calls, calls...)
	}
	slices.Sort(u.imports)
	slices.Sort(u.calls)
	u.imports, u.calls = slices.Compact(u.imports), slices.Compact(u.calls)
	return u, nil
}

// readFile gives the imports of a file and what it names of them, called or not.
func readFile(name string, src []byte) (imports, calls []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, src, 0)
	if err != nil {
		return nil, nil, err
	}
	local := map[string]string{}
	for _, spec := range file.Imports {
		to, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, nil, err
		}
		imports = append(imports, ours(to))
		as := path.Base(to)
		if spec.Name != nil {
			as = spec.Name.Name
		}
		local[as] = to
		if as == "." {
			return nil, nil, fmt.Errorf("%s imports %s without a name, which hides where things come from", name, to)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			// An identifier with an object is a variable that hides the package.
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && local[x.Name] != "" {
				calls = append(calls, local[x.Name]+"."+s.Sel.Name)
			}
		}
		return true
	})
	return imports, calls, nil
}

// ours shortens the path of a package of the module.
func ours(importPath string) string { return strings.TrimPrefix(importPath, module+"/") }
