// Command oap keeps agent profiles in a git repository: a session's delta becomes one commit that
// touches only state, a wished contract change becomes a branch for a person to review.
//
// This package is the only one that knows flags, environment and exit codes; see exit.go for the codes.
package main

import (
	"context"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
)

func main() {
	os.Exit(Main())
}

// Main runs oap with the process's own arguments and streams and gives the exit code. Tests register it
// as a command of their scripts.
func Main() int {
	// A run is short and its memory small: collecting less often saves a tenth of the time.
	debug.SetGCPercent(400)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, newApp(os.Stdin, os.Stdout, os.Stderr, os.Getenv), os.Args[1:])
}
