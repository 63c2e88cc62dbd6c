package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version and commit are set by the release build (.ci/release): -ldflags "-X main.version=1.2.3".
var (
	version = "dev"
	commit  = ""
)

func (a *app) newVersionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print version, commit, Go and formats",
		Long: `Print the version, the commit that it was built from, the version of Go, and the formats that
are read and written. No repository is needed.`,
		Example: `  oap version --json`,
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			v := versionInfo()
			if a.json {
				return a.emit(v)
			}
			a.printf("oap %s (commit %s, %s)\n", v.Version, v.Commit, v.Go)
			a.printf("formats: Open Agent Profile 1.0 in YAML, JSON and Markdown\n")
			return nil
		},
	}
}

type versioned struct {
	Type    string   `json:"type"` // "version"
	Version string   `json:"version"`
	Commit  string   `json:"commit"`
	Go      string   `json:"go"`
	Formats []string `json:"formats"`
}

// versionInfo takes the commit from what the Go tool has recorded in the binary.
func versionInfo() versioned {
	v := versioned{Type: "version", Version: version, Commit: "unknown", Go: runtime.Version(), Formats: []string{"oap/1.0 yaml", "oap/1.0 json", "oap/1.0 md"}}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	if v.Version == "dev" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		v.Version = info.Main.Version
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			v.Commit = s.Value
		}
	}
	if commit != "" {
		v.Commit = commit
	}
	return v
}
