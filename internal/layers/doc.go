// Package layers holds the tests which keep the packages of this module in order.
//
// They read what the go command and the parser say of every package and fail with a sentence for each
// import, call or file that a rule of docs/developing.md forbids. There is no code besides the tests.
package layers
