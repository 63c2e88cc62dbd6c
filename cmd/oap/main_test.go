package main

import (
	"flag"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// update rewrites expected output inside the scripts: go test ./cmd/oap -update.
var update = flag.Bool("update", false, "rewrite the expected output in testdata/script")

// TestMain makes oap a command of the scripts: the test binary itself, under that name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"oap": func() { os.Exit(Main()) },
	})
}
