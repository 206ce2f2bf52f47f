package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRemoteServedAgree: whoever serves the page over two remotes answers what the
// gateway does, and asks the remotes the same two questions for it.
func TestRemoteServedAgree(t *testing.T) {
	dir := t.TempDir()
	stand := func() *host {
		h, err := newHost()
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	posts, users := stand(), stand()
	var text string
	for _, h := range []http.Handler{posts, users} {
		s := httptest.NewServer(h)
		defer s.Close()
		text += s.URL + " "
	}
	if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
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
