package gitindex

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRefusals(t *testing.T) {
	tests := []struct {
		name, why string
		setup     func(r *repository)
		path      string
		find      error // of Find
		replace   error
		stages    []int // that Find gives
	}{
		{
			name: "split index", why: "the entries are in another file", path: subject, find: ErrUnsupported, replace: ErrUnsupported,
			setup: func(r *repository) { r.git("update-index", "--split-index") },
		},
		{
			name: "collapsed folder", why: "a sparse index has one entry for all of it", path: "lib/code.go", find: ErrUnsupported, replace: ErrUnsupported,
			setup: func(r *repository) { r.git("sparse-checkout", "set", "--cone", "--sparse-index", "agents") },
		},
		{
			name: "conflict on the path", why: "git decides what is left of it", path: "agents/other.yaml", replace: ErrUnmerged, stages: []int{1, 2, 3},
			setup: func(r *repository) { conflict(r, "agents/other.yaml") },
		},
		{
			name: "conflict elsewhere", why: "other entries at stages do not matter", path: subject, stages: []int{0},
			setup: func(r *repository) { conflict(r, "agents/other.yaml") },
		},
		{name: "absent", why: "inserting is git's", path: "agents/team/reviewer", replace: ErrNotFound},
		{name: "folder", why: "folders have no entries", path: "agents/team", replace: ErrNotFound},
		{
			name: "intent to add", why: "the flag would hide the new id", path: "new", replace: ErrUnsupported, stages: []int{0},
			setup: func(r *repository) {
				r.write("new", "new\n")
				r.git("add", "-N", "new")
			},
		},
		{
			name: "symbolic link", why: "the id names its target, not a file", path: "link", replace: ErrUnsupported, stages: []int{0},
			setup: func(r *repository) {
				r.git("update-index", "--add", "--cacheinfo", "120000,"+r.git("rev-parse", "HEAD:README")+",link")
			},
		},
		{
			name: "submodule", why: "the id names a commit", path: "sub", replace: ErrUnsupported, stages: []int{0},
			setup: func(r *repository) {
				r.git("update-index", "--add", "--cacheinfo", "160000,"+r.git("rev-parse", "HEAD")+",sub")
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRepository(t, "sha1")
			if tt.setup != nil {
				tt.setup(r)
			}
			index := r.index()
			entries, err := Find(index, r.idLen, tt.path)
			if !errors.Is(err, tt.find) {
				t.Errorf("Find: error %v, want %v", err, tt.find)
			}
			var stages []int
			for _, e := range entries {
				stages = append(stages, e.Stage)
			}
			if diff := cmp.Diff(tt.stages, stages); diff != "" {
				t.Errorf("stages (-want +got):\n%s", diff)
			}
			if _, err := replace(t, index, r.idLen, tt.path, make([]byte, 20), nil, nil); !errors.Is(err, tt.replace) {
				t.Errorf("Replace: error %v, want %v", err, tt.replace)
			}
		})
	}
}
