//go:build race

package frond_test

import "testing"

// unraced skips a test that reads all texts or sources, which takes minutes under the race detector.
// `make test` runs it without as well.
func unraced(t *testing.T) { t.Skip("it runs without the race detector") }
