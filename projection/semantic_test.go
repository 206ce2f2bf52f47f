package projection_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/store/storetest"
)

// TestSemanticNonNull: the directive stands at what is null beside an error alone, where the
// schema is asked for it, and the schema is one all the same.
func TestSemanticNonNull(t *testing.T) {
	f := storetest.Compiled(t, storetest.Project(t))
	sdl := func(semantic bool) string {
		b := projection.NewBuilder()
		if err := projection.RegisterAll(b, f.Catalog, &projection.Options{SemanticNonNull: semantic}); err != nil {
			t.Fatal(err)
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return s.SDL()
	}
	plain, marked := sdl(false), sdl(true)
	if strings.Contains(plain, "semanticNonNull") {
		t.Error("the directive is in a schema that was not asked for it")
	}
	const definition = "\"The field is null only where an error says why.\"\ndirective @semanticNonNull(levels: [Int] = [0]) on FIELD_DEFINITION\n"
	if !strings.Contains(marked, definition) {
		t.Error("the directive is not defined")
	}
	if got := strings.ReplaceAll(strings.Replace(marked, definition, "", 1), " @semanticNonNull", ""); strings.TrimSpace(got) != strings.TrimSpace(plain) {
		t.Error("the schemas differ in more than the directive")
	}
	if !strings.Contains(marked, ": Boolean @semanticNonNull\n") {
		t.Error("a delete answers true or false, and is not marked")
	}
	for line, want := range map[string]bool{
		"posts(": true, "postsByIds(": true, "comments(": true,
		"post(": false, "author: Author": false, "title: String!": false,
	} {
		found := false
		for _, text := range strings.Split(marked, "\n") {
			if strings.HasPrefix(strings.TrimSpace(text), line) {
				found = true
				if got := strings.Contains(text, "@semanticNonNull"); got != want {
					t.Errorf("%s is marked: %v", strings.TrimSpace(text), got)
				}
			}
		}
		if !found {
			t.Errorf("there is no field %s", line)
		}
	}
}
