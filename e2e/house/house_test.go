package house_test

import (
	"fmt"
	"os"
	"testing"
)

// TestMain runs the tests at the repository's root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}
