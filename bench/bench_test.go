package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The comparisons compare like with like, or fail: each part looks at the answers
// of both sides before it measures them. One short round of each keeps them whole.
func TestPartsRun(t *testing.T) {
	for name, run := range map[string]func(int, time.Duration) error{
		"graphql": benchGraphQL, "rest": benchREST, "findbyid": benchFindByID, "collector": benchCollector,
	} {
		t.Run(name, func(t *testing.T) {
			if err := run(1, time.Millisecond); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestServedAgree: whoever serves the page under load answers what the gateway does.
func TestServedAgree(t *testing.T) {
	dir := t.TempDir()
	gw, shut, err := open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	page, err := asked(-1).answer(gw.Handler())
	shut()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, prebuilt), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range served {
		h, err := c.build(dir)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, least := range []int{-1, -99} {
			got, err := asked(least).answer(h)
			if err == nil {
				err = same([]byte(page), []byte(got))
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
}
