package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// stand puts two remotes up, and their addresses into a folder.
func stand(t *testing.T, dir string) (posts, users *host) {
	t.Helper()
	var hosts [2]*host
	var text string
	for i := range hosts {
		h, err := newHost()
		if err != nil {
			t.Fatal(err)
		}
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		hosts[i] = h
		text += s.URL + " "
	}
	if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return hosts[0], hosts[1]
}

// TestRemoteServedAgree: whoever serves the page over two remotes answers what the
// gateway does, and sends the remotes the same two calls for it.
func TestRemoteServedAgree(t *testing.T) {
	dir := t.TempDir()
	posts, users := stand(t, dir)
	page, err := blogPage(dir)
	if err != nil {
		t.Fatal(err)
	}
	asked := append(posts.asked(), users.asked()...)
	if len(asked) != 2 {
		t.Errorf("the gateway asks %q, want one question of each", asked)
	}
	for _, c := range remoteServed[1:] {
		h, err := c.build(dir)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		for _, least := range []int{-1, -99} {
			got, err := askedBlog(least).answer(h)
			if err == nil {
				err = same(page, []byte(got))
			}
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	if diff := cmp.Diff(asked, append(posts.asked(), users.asked()...)); diff != "" {
		t.Errorf("others asked something else:\n%s", diff)
	}
}
