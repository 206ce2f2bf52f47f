//go:build race

package main

// raced says that the race detector is compiled in.
const raced = true
