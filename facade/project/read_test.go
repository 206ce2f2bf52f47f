package project_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade/project"
)

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string // Fronds and their cards, or the fault
	}{
		{"many Fronds", []string{"fronds/b/entities/x.yaml", "fronds/a/entities/y.yml", "fronds/a/views/z.json", "fronds/.git/config"}, "a: y z; b: x"},
		{"one at the root", []string{"entities/x.yaml", "seeds/x.yaml", "gateway.yaml"}, "app: x"},
		{"only a frond.yaml", []string{"frond.yaml"}, "app:"},
		{"other files are let be", []string{"entities/x.yaml", "entities/README.md", "entities/.hidden.yaml", "entities/deep/y.yaml"}, "app: x"},
		{"both", []string{"entities/x.yaml", "fronds/a/entities/y.yaml"}, ".: there are entities or a frond.yaml at the root, and a folder fronds/ beside them; move the ones at the root into a folder fronds/NAME/"},
		{"nothing", []string{"README.md"}, ".: there is no project in this folder: neither fronds/ nor entities/ is here; make a folder fronds/NAME/entities with one card per file"},
		{"a Frond that is described twice", []string{"frond.yaml", "frond.json"}, "frond.json: this Frond is described by frond.yaml as well; write everything into one of the two"},
		{"an empty Frond", []string{"fronds/a/README.md"}, "fronds/a: this Frond has neither entities nor a frond.yaml; put one card per file into fronds/a/entities, or remove the folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := fstest.MapFS{}
			for _, name := range c.files {
				fsys[name] = &fstest.MapFile{Data: []byte("{}")}
			}
			fronds, err := project.Read(fsys)
			var got string
			if err != nil {
				got = err.Error()
			} else {
				var all []string
				for _, f := range fronds {
					line := f.Name + ":"
					for _, card := range f.Cards {
						line += " " + card.Name
					}
					all = append(all, line)
				}
				got = strings.Join(all, "; ")
			}
			if got != c.want {
				t.Errorf("got %s want %s", got, c.want)
			}
		})
	}
}
