package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/open-agent-profile/oap/schemas"
)

//go:generate go run . generate markdown --out ../../docs/reference.md

func (a *app) newGenerateCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Write man pages or the reference",
		Long: `Write what is made of the commands themselves: man pages for packagers, and the page of the
documentation that lists every command. oap completion writes the scripts for shells.`,
		Example: `  oap generate man --out /usr/local/share/man/man1`,
		Args:    takes(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, args []string) error { return cmd.Help() },
	}
	var dir, file string
	man := &cobra.Command{
		Use:     "man --out DIR",
		Short:   "Write a man page for each command",
		Long:    `Write one page of section 1 for each command, such as oap-apply-delta.1, into a folder.`,
		Example: `  oap generate man --out man`,
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				return usagef("name the folder with --out DIR")
			}
			return a.writeMan(cmd.Root(), a.resolve(dir))
		},
	}
	man.Flags().StringVar(&dir, "out", "", "the folder `DIR`, which is made where it is missing (required)")
	markdown := &cobra.Command{
		Use:     "markdown",
		Short:   "Write the reference of all commands",
		Long:    `Write one page in Markdown with every command: what it does, its flags and its examples.`,
		Example: `  oap generate markdown > reference.md`,
		Args:    takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := reference(cmd.Root())
			if file == "" {
				return a.write([]byte(text))
			}
			return os.WriteFile(a.resolve(file), []byte(text), 0o644)
		},
	}
	markdown.Flags().StringVar(&file, "out", "", "write `FILE` instead of standard output")
	cmd.AddCommand(man, markdown)
	return cmd
}

// documented visits the commands that have a page: all but cobra's own.
func documented(c *cobra.Command, visit func(*cobra.Command)) {
	if c.HasParent() && (c.Name() == "help" || c.Name() == "completion") {
		return
	}
	visit(c)
	for _, sub := range c.Commands() {
		documented(sub, visit)
	}
}

// flagNames gives the spellings of a flag and the word for its value.
func flagNames(f *pflag.Flag) (names, value, usage string) {
	value, usage = pflag.UnquoteUsage(f)
	names = "--" + f.Name
	if f.Shorthand != "" {
		names = "-" + f.Shorthand + ", " + names
	}
	return names, value, usage
}

// reference writes all commands as one page.
func reference(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString("# Reference\n\nEvery command, as `oap COMMAND --help` explains it. This page is written by `oap generate markdown`.\n")
	flags := func(title string, set *pflag.FlagSet) {
		if !set.HasAvailableFlags() {
			return
		}
		fmt.Fprintf(&b, "\n%s\n\n| flag | |\n| --- | --- |\n", title)
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			names, value, usage := flagNames(f)
			if value != "" {
				names += " " + value
			}
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "[]" && !strings.Contains(usage, "default") {
				usage += " (default `" + f.DefValue + "`)"
			}
			fmt.Fprintf(&b, "| `%s` | %s |\n", names, strings.NewReplacer("|", `\|`, "<", `\<`).Replace(usage))
		})
	}
	b.WriteString("\n")
	documented(root, func(c *cobra.Command) {
		if c.HasParent() {
			fmt.Fprintf(&b, "- [`%s`](#%s): %s\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
		}
	})
	documented(root, func(c *cobra.Command) {
		if !c.HasParent() {
			flags("Flags of every command:", c.PersistentFlags())
			fmt.Fprintf(&b, "\nExit codes:\n\n```text\n%s\n```\n", strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(exitStatus), "EXIT STATUS")))
			return
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n```text\n%s\n```\n", c.CommandPath(), c.Short+".", strings.TrimSuffix(c.UseLine(), " [flags]"))
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.TrimSpace(c.Long))
		flags("Flags:", c.NonInheritedFlags())
		fmt.Fprintf(&b, "\nExamples:\n\n```text\n%s\n```\n", strings.Trim(c.Example, "\n"))
	})
	return b.String()
}

// writeMan writes one page a command.
func (a *app) writeMan(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var err error
	documented(root, func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".1"), []byte(manPage(c)), 0o644)
		}
	})
	return err
}

// roff makes text say itself in a man page.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// manPage writes the page of a command (man-pages(7)).
func manPage(c *cobra.Command) string {
	var b strings.Builder
	name := strings.ReplaceAll(c.CommandPath(), " ", "-")
	fmt.Fprintf(&b, ".TH %q 1 \"\" %q \"Open Agent Profile\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), "oap "+versionInfo().Version, roff(name), roff(c.Short))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.nf\n%s\n.fi\n", roff(strings.TrimSuffix(c.UseLine(), " [flags]")))
	// What is laid out in lines stays in lines.
	fmt.Fprintf(&b, ".SH DESCRIPTION\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(c.Long)))
	options := func(title string, set *pflag.FlagSet) {
		if !set.HasAvailableFlags() {
			return
		}
		fmt.Fprintf(&b, ".SH %s\n", title)
		set.VisitAll(func(f *pflag.Flag) {
			if f.Hidden {
				return
			}
			names, value, usage := flagNames(f)
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR", roff(names))
			if value != "" {
				fmt.Fprintf(&b, " \\fI%s\\fR", roff(value))
			}
			fmt.Fprintf(&b, "\n%s\n", roff(usage))
		})
	}
	options("OPTIONS", c.NonInheritedFlags())
	options("GLOBAL OPTIONS", c.InheritedFlags())
	if c.Example != "" {
		fmt.Fprintf(&b, ".SH EXAMPLES\n.nf\n%s\n.fi\n", roff(strings.Trim(c.Example, "\n")))
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n.nf\n%s\n.fi\n", roff(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(exitStatus), "EXIT STATUS"))))
	var see []string
	if c.HasParent() {
		see = append(see, strings.ReplaceAll(c.Parent().CommandPath(), " ", "-"))
	}
	for _, sub := range c.Commands() {
		if sub.Name() != "help" && sub.Name() != "completion" {
			see = append(see, strings.ReplaceAll(sub.CommandPath(), " ", "-"))
		}
	}
	for i, s := range see {
		see[i] = `\fB` + roff(s) + `\fR(1)`
	}
	fmt.Fprintf(&b, ".SH SEE ALSO\n%s\n", strings.Join(see, ",\n"))
	return b.String()
}

// printedSchemas are those that people point their editors at, by the word for them.
var printedSchemas = map[string]string{
	"profile": "profile", "delta": "delta", "policy": "policy", "skills": "persona-skills", "publish": "persona-publish",
}

func (a *app) newSchemaCommand() *cobra.Command {
	var draft7 bool
	words := strings.Join(sortedKeys(printedSchemas), ", ")
	cmd := &cobra.Command{
		Use:   "schema KIND",
		Short: "Print the JSON Schema of a format",
		Long: `Print the JSON Schema 2020-12 of a file, for editors and other validators:
` + words + `.
--draft7 writes the same rules for programs that know no newer dialect. A schema sees less than
oap validate: names that stand twice, secrets and paths are no matter of it.`,
		Example: `  oap schema profile > .agents/profile.schema.json
  oap schema policy --draft7`,
		Args:      takes(cobra.ExactArgs(1)),
		ValidArgs: sortedKeys(printedSchemas),
		RunE: func(cmd *cobra.Command, args []string) error {
			name, known := printedSchemas[args[0]]
			if !known {
				return usagef("there are schemas of %s, not of %q", words, args[0])
			}
			text, _ := schemas.Source(name)
			if draft7 {
				text = asDraft7(text)
			}
			return a.write(text)
		},
	}
	cmd.Flags().BoolVar(&draft7, "draft7", false, "in the dialect of draft-07")
	return cmd
}

// asDraft7 writes a schema of ours in the older dialect. Ours keep to what both have but for three spellings; a test
// holds that nothing else stands beside a reference, which draft-07 would not see.
func asDraft7(text []byte) []byte {
	return []byte(strings.NewReplacer(
		`"https://json-schema.org/draft/2020-12/schema"`, `"http://json-schema.org/draft-07/schema#"`,
		`"$defs"`, `"definitions"`, `"#/$defs/`, `"#/definitions/`,
	).Replace(string(text)))
}
