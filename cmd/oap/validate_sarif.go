package main

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/profile"
)

// The part of SARIF 2.1.0 that findings need (OASIS, Static Analysis Results Interchange Format).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name           string      `json:"name"`
		Version        string      `json:"version"`
		InformationURI string      `json:"informationUri"`
		Rules          []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
		FullDescription  sarifText `json:"fullDescription"`
		Help             sarifText `json:"help"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID              string            `json:"ruleId"`
		RuleIndex           int               `json:"ruleIndex"`
		Level               string            `json:"level"`
		Message             sarifText         `json:"message"`
		Locations           []sarifLocation   `json:"locations"`
		PartialFingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		PhysicalLocation sarifPhysical  `json:"physicalLocation"`
		LogicalLocations []sarifLogical `json:"logicalLocations,omitempty"`
	}
	sarifPhysical struct {
		ArtifactLocation sarifArtifact `json:"artifactLocation"`
		Region           *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI       string `json:"uri"`
		URIBaseID string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		StartLine   int `json:"startLine"`
		StartColumn int `json:"startColumn"`
	}
	sarifLogical struct {
		FullyQualifiedName string `json:"fullyQualifiedName"`
	}
)

// reportSARIF prints one SARIF log, also where nothing was found: an upload of no findings closes old ones.
func reportSARIF(a *app, v *validation) error {
	findings := v.findings()
	var ids []string
	for _, f := range findings {
		ids = append(ids, f.Rule)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	rules := []sarifRule{}
	for _, id := range ids {
		text := sarifText{ruleText(id)}
		rules = append(rules, sarifRule{ID: id, ShortDescription: text, FullDescription: text, Help: text})
	}
	results := []sarifResult{}
	marks := fingerprints{}
	for _, f := range findings {
		index, _ := slices.BinarySearch(ids, f.Rule)
		results = append(results, sarifResult{
			RuleID: f.Rule, RuleIndex: index, Level: string(f.Severity), Message: sarifText{term.Escape(said(f))},
			Locations:           []sarifLocation{sarifPlace(f)},
			PartialFingerprints: map[string]string{"oapFinding/v1": marks.of(f)},
		})
	}
	return encodeIndented(a.out, sarifLog{
		Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0",
		Runs: []sarifRun{{
			Tool: sarifTool{sarifDriver{
				Name: "oap", Version: versionInfo().Version, InformationURI: "https://github.com/open-agent-profile/oap", Rules: rules,
			}},
			ColumnKind: "unicodeCodePoints", Results: results,
		}},
	})
}

func sarifPlace(f profile.Finding) sarifLocation {
	l := sarifLocation{PhysicalLocation: sarifPhysical{ArtifactLocation: artifactOf(f.Path)}}
	if f.Line > 0 {
		l.PhysicalLocation.Region = &sarifRegion{f.Line, f.Column}
	}
	if f.Pointer != "" {
		l.LogicalLocations = []sarifLogical{{term.Escape(f.Pointer)}}
	}
	return l
}

// artifactOf gives a path as a URI: relative to the checkout, or of the file system where it is absolute.
func artifactOf(p string) sarifArtifact {
	if filepath.IsAbs(filepath.FromSlash(p)) {
		if !strings.HasPrefix(p, "/") {
			p = "/" + p // C:/x
		}
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: p}).String()}
	}
	return sarifArtifact{URI: (&url.URL{Path: p}).String(), URIBaseID: "%SRCROOT%"}
}
