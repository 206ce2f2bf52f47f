package contract_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/contract"
)

// TestPlan holds what is written and removed, and what of others is let be.
func TestPlan(t *testing.T) {
	was := contract.Files{"a.json": []byte("1"), "sub/b.json": []byte("2"), "same.json": []byte("3")}
	now := contract.Files{"a.json": []byte("one"), "same.json": []byte("3"), "sub2/c.json": []byte("4")}
	for _, c := range []struct {
		name          string
		change        func(t *testing.T, dir string) // behind the back of what was written
		write, remove []string
		refused       string
	}{
		{name: "as it was written", write: []string{"a.json", "sub2/c.json", contract.ManifestFile}, remove: []string{"sub/b.json"}},
		{
			name: "somebody's own file beside it", change: put("mine.json", "mine"),
			write: []string{"a.json", "sub2/c.json", contract.ManifestFile}, remove: []string{"sub/b.json"},
		},
		{name: "changed by hand", change: put("a.json", "1 and more"), refused: "a.json: it was changed by hand after it was generated; remove it, and the command writes it again"},
		{name: "changed by hand and not served any more", change: put("sub/b.json", "2 and more"), refused: "sub/b.json: it is not served any more, and was changed by hand; remove it, or move it to another folder"},
		{name: "not generated", change: put("sub2/c.json", "theirs"), refused: "sub2/c.json: it was not generated, and would be overwritten; move it to another folder"},
		{
			name: "what was cut short is taken up", change: put("sub2/c.json", "4"),
			write: []string{"a.json", contract.ManifestFile}, remove: []string{"sub/b.json"},
		},
		{
			name: "removed by hand", change: func(t *testing.T, dir string) { remove(t, dir, "a.json"); remove(t, dir, "sub/b.json") },
			write: []string{"a.json", "sub2/c.json", contract.ManifestFile},
		},
		{name: "the list is broken", change: put(contract.ManifestFile, "{"), refused: "this is not JSON"},
		{name: "the list names files elsewhere", change: put(contract.ManifestFile, `{"files":{"../out.json":"sha256:00","/etc/x":"sha256:00"}}`), refused: "a.json: it was not generated"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "new")
			apply(t, dir, was)
			if c.change != nil {
				c.change(t, dir)
			}
			before := texts(t, dir)
			plan, err := contract.NewPlan(dir, contract.ManifestFile, now, nil)
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) {
					t.Fatalf("%v, want %s", err, c.refused)
				}
				if diff := cmp.Diff(before, texts(t, dir)); diff != "" {
					t.Error("refused, and yet something changed", diff)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.write, plan.Write); diff != "" {
				t.Error("written:", diff)
			}
			if diff := cmp.Diff(c.remove, plan.Remove); diff != "" {
				t.Error("removed:", diff)
			}
			if err := plan.Apply(); err != nil {
				t.Fatal(err)
			}
			after := texts(t, dir)
			delete(after, contract.ManifestFile)
			want := map[string]string{"a.json": "one", "same.json": "3", "sub2/c.json": "4"}
			if mine, ok := before["mine.json"]; ok {
				want["mine.json"] = mine
			}
			if diff := cmp.Diff(want, after); diff != "" {
				t.Error("it stands otherwise:", diff)
			}
			if again, err := contract.NewPlan(dir, contract.ManifestFile, now, nil); err != nil || len(again.Write)+len(again.Remove) > 0 {
				t.Error("a second time there is something to do:", again, err)
			}
		})
	}
}

func apply(t *testing.T, dir string, files contract.Files) {
	t.Helper()
	plan, err := contract.NewPlan(dir, contract.ManifestFile, files, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := plan.Apply(); err != nil {
		t.Fatal(err)
	}
}

func put(name, text string) func(*testing.T, string) {
	return func(t *testing.T, dir string) {
		name := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func remove(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
		t.Fatal(err)
	}
}

// texts are the files of a folder, by their paths.
func texts(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(dir, name)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
