package evolution

import (
	"regexp"
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/e2e/nodeprocess"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/projection"
	"github.com/frondhost/frond/schema"
)

// inspected is one change as graphql-inspector reports it.
type inspected struct {
	Type    string `json:"type"`
	Level   string `json:"level"`
	Path    string `json:"path"`
	Message string `json:"message"`
}

// changedType are the types that a message of graphql-inspector names.
var changedType = regexp.MustCompile(`from '[\[\]!]*(\w+)[\[\]!]*' to|changed type from '[\[\]!]*(\w+)[\[\]!]*'`)

// excepted says why a change that graphql-inspector calls breaking has no finding at its own
// coordinate; "" is that it has to have one.
func excepted(found map[string]diff.Finding, c inspected) string {
	if m := changedType.FindStringSubmatch(c.Message); m != nil {
		if f, ok := found[m[1]+m[2]]; ok && f.Rule == "graphql-name-changed" {
			return "the type has another name, which is one finding, at the type, and not one at each place that has the type"
		}
	}
	typ, field, _ := strings.Cut(c.Path, ".")
	for at, f := range found {
		if old, _, isMember := strings.Cut(at, "."); isMember && old == typ && f.Is == field && f.Rule == "graphql-name-changed" {
			return "the field has another name, which is one finding, at the old one, and not another one at the new one"
		}
	}
	return ""
}

// sdlOf is the GraphQL schema of a project for all callers.
func sdlOf(t *testing.T, project *facade.Project) string {
	t.Helper()
	compiled, err := compile.Project(project, &compile.Options{Unregistered: func(schema.Fault) {}})
	if err != nil {
		t.Fatal(err)
	}
	b := projection.NewBuilder()
	if err := projection.RegisterAll(b, compiled.Catalog, &projection.Options{Surface: catalog.OnGraphQL}); err != nil {
		t.Fatal(err)
	}
	built, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return built.SDL()
}

// TestInspector: whatever graphql-inspector calls breaking, diff calls breaking, at the same
// coordinate.
func TestInspector(t *testing.T) {
	inspector := nodeprocess.Start(t, "inspector.mjs")
	types, exceptions, breaking := map[string]int{}, map[string]int{}, 0
	for seed := *from; seed < *from+3*uint64(*cases); seed++ {
		p := newPair(t, seed)
		if p == nil {
			continue
		}
		found := map[string]diff.Finding{}
		for _, f := range p.report.Findings {
			if f.Surface == "graphql" && f.Level == diff.Breaking {
				found[f.At] = f
				breaking++
			}
		}
		var seen []inspected
		if err := inspector.Ask(map[string]string{"was": sdlOf(t, p.old.Project), "is": sdlOf(t, p.new.Project)})(&seen); err != nil {
			t.Fatal(err)
		}
		for _, c := range seen {
			types[c.Type+" "+c.Level]++
			if c.Level != "BREAKING" {
				continue
			}
			if why := excepted(found, c); why != "" {
				exceptions[why]++
				continue
			}
			if !covered(found, c) {
				t.Errorf("seed %d, %s: graphql-inspector calls this breaking, and diff does not: %s at %s: %s",
					seed, strings.Join(p.changed, "; "), c.Type, c.Path, c.Message)
			}
		}
	}
	t.Logf("%d breaking findings of ours; of graphql-inspector %v; exceptions %v", breaking, types, exceptions)
	if len(types) < 10 {
		t.Errorf("graphql-inspector has seen only %v", types)
	}
}

// covered reports whether a breaking finding is at the coordinate of a change, or says that
// the type it is a member of is gone, or has another name.
func covered(found map[string]diff.Finding, c inspected) bool {
	typ, rest, _ := strings.Cut(c.Path, ".")
	if f, ok := found[typ]; ok && (f.Rule == "graphql-type-removed" || f.Rule == "graphql-name-changed") {
		return true
	}
	field, argument, isArgument := strings.Cut(rest, ".")
	at := typ
	if field != "" {
		at += "." + field
	}
	if f, ok := found[at]; ok && (!isArgument || f.Rule == "graphql-field-removed" || f.Rule == "graphql-name-changed") {
		return true
	}
	_, ok := found[at+"("+argument+":)"]
	return ok
}
