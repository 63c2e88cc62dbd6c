package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// driverSettings are the lines that git needs once per clone; oap prints them and leaves it to a person to run them,
// since they make git start a program.
var driverSettings = []string{
	"git config merge.oap.name 'oap: merge agent profiles by meaning'",
	"git config merge.oap.driver 'oap merge-file --marker-size %L --path %P %O %A %B'",
	"git config diff.oap.textconv 'oap textconv'",
}

// attributeLines give every profile its drivers. Where a clone has not set them, git falls back to text.
func attributeLines() []string {
	var lines []string
	for _, s := range profile.ProfileSuffixes {
		lines = append(lines, "*"+s+" merge=oap diff=oap")
	}
	return lines
}

// writeDrivers adds the lines that .gitattributes lacks. It gives the file's name if it wrote anything.
func (a *app) writeDrivers(ctx context.Context, r *repo.Repo) (string, error) {
	if r.Root == "" {
		return "", &repo.Error{Kind: repo.Refused, Reason: "bare", Msg: "a bare repository has no working tree to write .gitattributes in"}
	}
	name := filepath.Join(r.Root, ".gitattributes")
	data, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	text := string(data)
	end := "\n"
	if strings.Contains(text, "\r\n") {
		end = "\r\n"
	}
	have := map[string]bool{}
	for l := range strings.Lines(text) {
		have[strings.Join(strings.Fields(l), " ")] = true
	}
	var missing strings.Builder
	for _, l := range attributeLines() {
		if !have[l] {
			missing.WriteString(l + end)
		}
	}
	if missing.Len() == 0 {
		return "", nil
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += end
	}
	return name, replaceFile(name, []byte(text+missing.String()))
}

// printDrivers shows the lines to run in each clone.
func (a *app) printDrivers() {
	a.printf("run once in each clone:\n")
	for _, l := range driverSettings {
		a.printf("  %s\n", l)
	}
}
