package main

import (
	"strings"
	"testing"
)

// TestServe: every request of the program succeeds and is answered with a line of three numbers.
func TestServe(t *testing.T) {
	kinds := []string{"page", "list", "list-total", "findById", "findById-graphql", "typename", "create", "start"}
	var out strings.Builder
	if err := serve(t.TempDir(), strings.NewReader(strings.Join(kinds, " 1\n")+" 1\nnone 1\n"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != len(kinds)+1 || lines[len(kinds)] != "unknown" {
		t.Fatalf("%q", lines)
	}
	for i, kind := range kinds {
		if numbers := strings.Fields(lines[i]); len(numbers) != 3 || numbers[1] == "0" {
			t.Errorf("%s: %q", kind, lines[i])
		}
	}
}

// TestServeFaults: a line without a number ends the program with an error.
func TestServeFaults(t *testing.T) {
	if err := serve(t.TempDir(), strings.NewReader("page\n"), &strings.Builder{}); err == nil {
		t.Error("no error")
	}
}
