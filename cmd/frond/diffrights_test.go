package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiffOfShopRights compares the shop with one whose customers see internal notes and all cancelled orders, over the rows of its seeds.
func TestDiffOfShopRights(t *testing.T) {
	shop, changed := t.TempDir(), t.TempDir()
	for _, dir := range []string{shop, changed} {
		if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "examples", "shop"))); err != nil {
			t.Fatal(err)
		}
		for _, frond := range []string{"catalog", "sales"} { // whose callers would be compared too
			if err := os.Remove(filepath.Join(dir, "fronds", frond, "rights.yaml")); err != nil {
				t.Fatal(err)
			}
		}
	}
	rules := filepath.Join(changed, "fronds", "sales", "frond.yaml")
	text, err := os.ReadFile(rules)
	if err != nil {
		t.Fatal(err)
	}
	const own, note = "rows: { customerId: { eq: $user.id } }\n      hide", "hide: [internalNote]"
	if !strings.Contains(string(text), own) || !strings.Contains(string(text), note) {
		t.Fatalf("%s does not have the rules that the test changes", rules)
	}
	text = bytes.Replace(text, []byte(own), []byte("rows: { or: [{ customerId: { eq: $user.id } }, { status: { eq: cancelled } }] }\n      hide"), 1)
	text = bytes.Replace(text, []byte(note), []byte("hide: []"), 1)
	if err := os.WriteFile(rules, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for as, want := range map[string]string{
		`{"user":{"id":"u-mara-lindqvist"}}`:    "gains 5 orders (o-24125, o-24153, o-24179, o-24206, o-24235) and the field internalNote on 5 orders",
		`{"user":{"id":"s","roles":["staff"]}}`: "",
		`null`:                                  "",
	} {
		var out, stderr bytes.Buffer
		root := newRoot(&shell{out: &out, stderr: &stderr})
		root.SetArgs([]string{"diff", shop, changed, "--store", "memory", "--as", as, "--json", "--fail-on", "none"})
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Fatalf("%s: %v\n%s", as, err, stderr.String())
		}
		if got := out.String(); strings.Contains(got, `"rule":"access-caller-`) != (want != "") || !strings.Contains(got, want) {
			t.Errorf("%s: want %q\n%s", as, want, got)
		}
	}
}
