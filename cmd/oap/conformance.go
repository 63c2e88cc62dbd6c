package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

//go:generate go run ../../internal/conformance/generate ../.. conformance.json dev

// conformanceResult is what go generate wrote from a run of the tests.
//
//go:embed conformance.json
var conformanceResult []byte

// statement is the conformance statement of the format, in the form that it advises.
type statement struct {
	Type           string   `json:"type"` // "conformance"
	OAP            string   `json:"oap"`
	Implementation string   `json:"implementation"`
	Version        string   `json:"version"`
	Level          int      `json:"level"`
	Encodings      []string `json:"encodings"`
	Roots          []string `json:"discovery_roots"`
	Unimplemented  []string `json:"unimplemented"`
}

func stated() statement {
	return statement{
		Type: "conformance", OAP: "1.0", Implementation: "oap", Version: versionInfo().Version, Level: 3,
		Encodings: []string{"yaml", "json", "md"}, Roots: []string{"managed", "user", "project", "plugin"},
		Unimplemented: []string{},
	}
}

func (a *app) newConformanceCommand() *cobra.Command {
	var results bool
	cmd := &cobra.Command{
		Use:   "conformance",
		Short: "Say which parts of the format are implemented",
		Long: `Print the conformance statement for Open Agent Profile 1.0. --results prints the result in the
form of the format's own schema: the requirements whose tests have all passed, written from a
run of those tests and never by hand. docs/conformance.md says what decides open points.`,
		Example: `  oap conformance
  oap conformance --results`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if results {
				return a.write(conformanceResult)
			}
			return a.printStatement(stated())
		},
	}
	cmd.Flags().BoolVar(&results, "results", false, "print the machine-readable result")
	return cmd
}

func (a *app) printStatement(s statement) error {
	if a.json {
		return a.emit(s)
	}
	var r struct{ Passed, Failed []string }
	if err := json.Unmarshal(conformanceResult, &r); err != nil {
		return err
	}
	missing := "nothing"
	if len(s.Unimplemented) > 0 {
		missing = strings.Join(s.Unimplemented, ", ")
	}
	for _, line := range [][2]string{
		{"format", "Open Agent Profile " + s.OAP},
		{"implementation", s.Implementation + " " + s.Version},
		{"level", fmt.Sprintf("%d (read, write, compose)", s.Level)},
		{"encodings", strings.Join(s.Encodings, ", ")},
		{"discovery roots", strings.Join(s.Roots, ", ")},
		{"unimplemented", missing},
		{"requirements", fmt.Sprintf("%d passed, %d failed", len(r.Passed), len(r.Failed))},
	} {
		a.printf("%-16s %s\n", line[0], line[1])
	}
	return nil
}
