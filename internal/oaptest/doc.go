// Package oaptest makes git repositories for tests.
//
// A [Repo] is a fresh repository in a temporary directory with an environment of its own: a HOME that
// is empty, no system settings, fixed names, mail addresses, dates and time zone, so that object names
// come out equal on each run. [New] makes one; [Repo.Sound] lets git judge the end of a test.
//
// It runs git and fails the test with what git said. It knows nothing of the packages it tests.
package oaptest
