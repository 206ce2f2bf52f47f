package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFeedServedAgree: the gateway, the plan by hand and the one that signs answer the page from one remote
// alike.
func TestFeedServedAgree(t *testing.T) {
	remote, err := newFeedRemote()
	if err != nil {
		t.Fatal(err)
	}
	listening := httptest.NewServer(remote)
	defer listening.Close()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, addressFile), []byte(listening.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := writeSigningKey(dir); err != nil {
		t.Fatal(err)
	}
	page := request{method: "POST", path: "/graphql", body: feedBody}
	want := ""
	for _, c := range append(feedServed[1:4:4], equippedServed[1]) {
		h, err := c.build(dir)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got, err := page.answer(h)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if want == "" {
			want = got
		}
		if n := strings.Count(got, `"email":"user`); n != 100 {
			t.Errorf("%s: %d users: %s", c.name, n, got)
		}
		if err := same([]byte(want), []byte(got)); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// A program that reads users one by one gets the same rows.
	var one, all []byte
	for path, into := range map[string]*[]byte{"/users/3": &one, "/users?id=3": &all} {
		text, err := request{method: "GET", path: path}.answer(remote)
		if err != nil {
			t.Fatal(err)
		}
		*into = []byte(text)
	}
	if string(all) != "["+string(one)+"]" || !json.Valid(one) {
		t.Errorf("%s and %s", one, all)
	}
}

// TestPostServedAgree: the gateway and the handler by hand answer the requests over SQLite alike.
func TestPostServedAgree(t *testing.T) {
	dir := t.TempDir()
	var answers [2][]string
	for i, c := range postServed {
		h, err := c.build(dir)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		listening := httptest.NewServer(h)
		defer listening.Close()
		s := &server{name: c.name, url: listening.URL + "/graphql"}
		base := []string{"/api/app/posts", "/posts"}[i]
		for _, r := range [][2]string{
			{http.MethodGet, base + "/post00000000042"},
			{http.MethodGet, base + []string{"?limit=100&count=none", ""}[i]},
			{http.MethodGet, base + []string{"?limit=100", "?total"}[i]},
			{http.MethodPost, base},
			{http.MethodGet, base + []string{"?limit=100", "?total"}[i]},
		} {
			body := ""
			if r[0] == http.MethodPost {
				body = postCreate
			}
			got, err := titles(s, r[0], r[1], body)
			if err != nil {
				t.Fatalf("%s: %s %s: %v", c.name, r[0], r[1], err)
			}
			answers[i] = append(answers[i], got)
		}
	}
	for i, want := range []int{1, 100, 100, 1, 100} {
		if n := strings.Count(answers[0][i], "\n"); n != want {
			t.Errorf("request %d: %d rows, want %d", i, n, want)
		}
		if i < 4 && answers[0][i] != answers[1][i] { // the new row has a random place in the list
			t.Errorf("request %d: the gateway answers %q, the handler by hand %q", i, answers[0][i], answers[1][i])
		}
	}
}

// TestPeersTable: the table has a line for each pair, and names the programs that were left out.
func TestPeersTable(t *testing.T) {
	var table peersTable
	table.add("a list", &server{costs: []float64{10}, rates: []float64{300}}, &server{name: "by hand", costs: []float64{5}, rates: []float64{400}})
	table.leave("Tailcall", http.ErrServerClosed)
	var out strings.Builder
	table.print(&out)
	for _, want := range []string{"a list   by hand  10.0            5.0         0.50          0.75", "LEFT OUT: Tailcall: " + http.ErrServerClosed.Error()} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q has no %q", out.String(), want)
		}
	}
}

// TestWrkScript: the script names the method, the path and the body of the request.
func TestWrkScript(t *testing.T) {
	got := wrkScript("GET", "/posts?total", "")
	for _, want := range []string{`wrk.path = "/posts?total"`, `wrk.method = "GET"`, "wrk.body = ''", "measured %d"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q has no %q", got, want)
		}
	}
}
