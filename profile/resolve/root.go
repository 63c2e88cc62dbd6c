package resolve

import "path"

// Trust says how far a profile is trusted. It comes from the root in which a profile was found and never
// from the file (OAP L1-I4), and it never raises anything.
type Trust string

// The levels of trust, highest first.
const (
	Managed  Trust = "managed"  // an administrator put it there
	User     Trust = "user"     // this person put it there
	Project  Trust = "project"  // it came with a repository or a plugin
	Imported Trust = "imported" // fetched or converted from elsewhere
)

// Root is one place where profiles are found. The order of a list of roots is their precedence, lowest
// first: see [Find].
type Root struct {
	Name  string `json:"name"` // for people: "project", "user", …
	Path  string `json:"path"` // for the Loader
	Trust Trust  `json:"trust"`
}

// Places is where a harness lives on a machine. An empty place has no root.
type Places struct {
	Harness   string   // its name, as in /etc/<harness>/agents
	System    string   // usually /etc
	Home      string   // the user's home folder
	Config    string   // usually <home>/.config
	Workspace string   // the top of the working tree
	Roots     []string // the project's neutral roots below Workspace; nil stands for .agents
	Native    []string // the harness's own roots below Workspace, such as .claude/agents
	Plugins   []string // folders of plugins and packages
}

// StandardRoots gives the roots of the specification in its order of reading: managed, user, project,
// plugin; within user and project the neutral root before the harness's own, so that the latter wins
// (OAP SPEC 1.0.2, discovery).
func StandardRoots(p Places) []Root {
	var roots []Root
	add := func(name string, t Trust, within, rest string) {
		if within != "" && rest != "" {
			roots = append(roots, Root{Name: name, Path: path.Join(within, rest), Trust: t})
		}
	}
	native := ""
	if p.Harness != "" {
		native = p.Harness + "/agents"
	}
	neutral := p.Roots
	if neutral == nil {
		neutral = []string{".agents"}
	}
	add("managed", Managed, p.System, native)
	add("universal user", User, p.Home, ".agentprofiles")
	add("native user", User, p.Config, native)
	for _, r := range neutral {
		add("project", Project, p.Workspace, r)
	}
	for _, r := range p.Native {
		add("native project", Project, p.Workspace, r)
	}
	for _, r := range p.Plugins {
		if r != "" {
			roots = append(roots, Root{Name: "plugin", Path: r, Trust: Project})
		}
	}
	return roots
}
