// Command generate runs the tests that name requirements of the format and writes the result.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/internal/conformance"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1)
	}
}

// generate takes the top of the module, the file to write, and the version.
func generate() error {
	if len(os.Args) != 4 {
		return fmt.Errorf("usage: generate TOP FILE VERSION")
	}
	r, err := conformance.Run(os.Args[1], os.Args[3], time.Now())
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if len(r.Failed) > 0 {
		return fmt.Errorf("these do not hold: %s", strings.Join(r.Failed, ", "))
	}
	return os.WriteFile(os.Args[2], append(text, '\n'), 0o644)
}
