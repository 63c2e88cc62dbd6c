package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// TestScripts runs whole commands, one aspect a script, with git as the judge. The environment holds
// nothing of the machine's but PATH, and names and dates are fixed, so that commit ids come out equal.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		Setup:               scriptEnv,
		Condition:           scriptCondition,
		Cmds:                scriptVerbs,
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}

func scriptEnv(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, ".home")
	if err := os.Mkdir(home, 0o755); err != nil {
		return err
	}
	for _, kv := range oaptest.Env(home) {
		if !strings.HasPrefix(kv, "TMPDIR=") { // the script has a folder of its own for that
			env.Vars = append(env.Vars, kv)
		}
	}
	env.Vars = append(env.Vars, "GIT_CONFIG_GLOBAL="+os.DevNull, "OAP_NOW="+oaptest.Date)
	if corpus := os.Getenv("OAP_CORPUS"); corpus != "" {
		env.Vars = append(env.Vars, "OAP_CORPUS="+corpus)
	}
	return nil
}

func scriptCondition(cond string) (bool, error) {
	switch cond {
	case "corpus": // published files of the formats
		return os.Getenv("OAP_CORPUS") != "", nil
	case "root": // who may read what nobody may
		return os.Geteuid() == 0, nil
	}
	return false, fmt.Errorf("unknown condition %q", cond)
}

// TestScriptNames wants the first word of a script's name to be a command, or a topic that is listed here.
func TestScriptNames(t *testing.T) {
	topics := []string{"apply", "usage"}
	for _, c := range newRootCommand(newApp(nil, nil, nil, os.Getenv)).Commands() {
		topics = append(topics, c.Name())
	}
	scripts, err := filepath.Glob(filepath.Join("testdata", "script", "*"))
	if err != nil || len(scripts) == 0 {
		t.Fatal(err, "no scripts")
	}
	for _, s := range scripts {
		name, ok := strings.CutSuffix(filepath.Base(s), ".txtar")
		first, _, _ := strings.Cut(name, "_")
		if !ok || !slices.Contains(topics, first) {
			t.Errorf("%s: a script is named COMMAND_ASPECT.txtar, with one of %s", s, strings.Join(topics, ", "))
		}
	}
}
