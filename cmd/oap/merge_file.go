package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/proposals"
	"github.com/open-agent-profile/oap/repo/merging"
)

type mergeFileOptions struct {
	out    string
	path   string
	labels []string
	marker int
	diff3  bool
}

func (a *app) newMergeFileCommand() *cobra.Command {
	var o mergeFileOptions
	cmd := &cobra.Command{
		Use:   "merge-file [FLAGS] BASE OURS THEIRS",
		Short: "Merge three versions of a profile by meaning (git's merge driver)",
		Long: `Merge the changes that OURS and THEIRS made to the profile BASE, entry by entry, and write the
result to OURS, or to OUT; - is standard output. An empty BASE stands for none. Nothing else
is written, no repository is needed, and the clock is not read: the same versions give the
same bytes everywhere.

Where a person has to choose, or a version is no valid profile, the result is git's own
merge-file text with conflict markers, and the exit code is 1.

oap init --drivers sets git up to use it.`,
		Example: `  oap merge-file base.agent.yaml ours.agent.yaml theirs.agent.yaml -o -
  git config merge.oap.driver 'oap merge-file --marker-size %L --path %P %O %A %B'`,
		Args: takes(cobra.ExactArgs(3)),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runMergeFile(cmd.Context(), o, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write to `OUT` instead of OURS; - is standard output")
	f.StringVar(&o.path, "path", "", "the profile's `PATH`, which tells its encoding (git's %P)")
	f.StringArrayVarP(&o.labels, "label", "L", nil, "`LABEL` in conflict markers: of ours, of base, of theirs, in this order")
	f.IntVar(&o.marker, "marker-size", 0, "length of conflict markers (git's %L)")
	f.BoolVar(&o.diff3, "diff3", false, "show the base in conflicts, too")
	return cmd
}

// mergedFile is the JSON answer.
type mergedFile struct {
	Type      string          `json:"type"` // "merge-file"
	Outcome   string          `json:"outcome"`
	Path      string          `json:"path"`
	Revision  int             `json:"revision,omitempty"`
	Met       []string        `json:"met"`
	Conflicts []mergeConflict `json:"conflicts"`
	Reason    string          `json:"reason,omitempty"`
}

func (a *app) runMergeFile(ctx context.Context, o mergeFileOptions, args []string) error {
	if len(o.labels) > 3 {
		return usagef("-L names ours, base and theirs; a fourth label has no meaning")
	}
	v, err := a.readVersions(o, args)
	if err != nil {
		return err
	}
	l := merging.Labels{Size: o.marker, Diff3: o.diff3}
	for i, label := range o.labels {
		*[]*string{&l.Ours, &l.Base, &l.Theirs}[i] = label
	}
	text := merging.GitText(ctx, a.environ, l)
	done := mergedFile{Type: "merge-file", Outcome: "merged", Path: v.Path, Met: []string{}, Conflicts: []mergeConflict{}}
	result, err := merging.Merge(v, merging.Options{Widening: widening, Text: text})
	var answer error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case err != nil:
		// Whatever stood in the way, both sides have to be in what git is given back.
		answer = &answerNo{term.Escape(err.Error()) + "; the result is git's merge of the lines, with markers where they meet"}
		done.Outcome, done.Reason = "unsettled", err.Error()
		result = &merging.Result{}
	case len(result.Conflicts) > 0:
		done.Outcome, done.Conflicts = "conflict", conflictsOf("", result.Conflicts)
		answer = &answerNo{conflictSentence(v.Path, result.Conflicts)}
	default:
		done.Revision, done.Met = result.Document.Revision(), append(done.Met, result.Met...)
		a.noteMerge(v.Path, result)
	}
	if result.Text == nil {
		// Git takes the file as it is for the half-merged one, so it must not look like ours alone.
		if result.Text, err = merging.Marked(v, text); err != nil {
			result.Text = merging.Whole(v, l)
		}
	}
	if err := a.writeMerged(o, args[1], result.Text); err != nil {
		return err
	}
	if a.json && o.out != "-" {
		if err := a.emit(done); err != nil {
			return err
		}
	}
	return answer
}

func (a *app) readVersions(o mergeFileOptions, args []string) (merging.Versions, error) {
	v := merging.Versions{Path: filepath.ToSlash(o.path)}
	for i, into := range []*[]byte{&v.Base, &v.Ours, &v.Theirs} {
		data, err := a.readFile(a.resolve(args[i]))
		if err != nil {
			return v, err
		}
		*into = data
	}
	if v.Path == "" && profileSuffix(args[1]) {
		v.Path = filepath.ToSlash(args[1])
	}
	return v, nil
}

// writeMerged replaces the file in one step, so that git never finds half of it, and keeps its mode.
func (a *app) writeMerged(o mergeFileOptions, ours string, text []byte) error {
	switch o.out {
	case "-":
		_, err := a.out.Write(text)
		return err
	case "":
	default:
		ours = o.out
	}
	return replaceFile(a.resolve(ours), text)
}

// replaceFile writes beside the file and renames. A link is written through, as an editor would.
func replaceFile(name string, text []byte) error {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	mode := os.FileMode(0o644)
	if fi, err := os.Stat(name); err == nil {
		mode = fi.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".oap-tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(mode), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// noteMerge says what a clean merge had to decide.
func (a *app) noteMerge(path string, r *merging.Result) {
	for _, w := range r.Warnings {
		a.warnf("%s: %s: %s [%s]", path, w.Pointer, w.Message, w.Rule)
	}
	for _, p := range r.Rerendered {
		a.warnf("%s: %s: this part had to be written anew; comments inside it are lost [rerendered]", path, p)
	}
}

// widening finds grants of a merged contract that neither side has: what is a widening from both.
func widening(merged, ours, theirs map[string]any) []string {
	high := func(from map[string]any) []proposals.Reason {
		_, reasons := proposals.Rate(from, merged)
		return slices.DeleteFunc(reasons, func(r proposals.Reason) bool { return r.Risk < proposals.High })
	}
	var places []string
	other := high(theirs)
	for _, r := range high(ours) {
		if slices.Contains(other, r) && !slices.Contains(places, r.Pointer) {
			places = append(places, r.Pointer)
		}
	}
	return places
}
