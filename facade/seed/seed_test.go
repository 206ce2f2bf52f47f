package seed_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/facade/seed"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/storetest"
)

const thing = `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  name: {type: string}
`

// idsOf are the ids of all rows of an entity, joined by spaces.
func idsOf(t *testing.T, f *facade.Facade, entity string) string {
	t.Helper()
	text, err := storetest.Call(t, f, entity+".list", facade.Invocation{})
	if err != nil {
		t.Fatal(err)
	}
	var page facade.List[struct{ ID any }]
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, item := range page.Items {
		all = append(all, fmt.Sprint(item.ID))
	}
	return strings.Join(all, " ")
}

func TestSeed(t *testing.T) {
	store := storetest.NewStore()
	f := storetest.New(t, storetest.Project(t), store, nil)
	if _, err := storetest.Call(t, f, "comment.delete", facade.Invocation{Params: []byte(`{"id":6}`)}); err != nil {
		t.Fatal(err)
	}
	if _, err := seed.Write(t.Context(), f); err != nil { // a second start
		t.Fatal(err)
	}
	if got := idsOf(t, f, "comment"); got != "1 2 3 4 5" {
		t.Errorf("seeds were written again: %s", got)
	}
}

// Rows that others point at are written first, whatever the order of the files and
// of the rows in them.
func TestSeedOrder(t *testing.T) {
	p := storetest.ProjectOf(t, map[string]string{
		"entities/a.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, zId: {type: string, x-kit: {role: {relation: {to: z, kind: one}}}}}}`,
		"entities/z.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, parentId: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}, role: {relation: {to: z, kind: one}}}}}}`,
		"seeds/a.yaml":    `[{id: a1, zId: leaf}]`,
		"seeds/z.yaml":    `[{id: leaf, parentId: branch}, {id: branch, parentId: root}, {id: root}, {id: other, parentId: root}]`,
	})
	store := &writing{Store: storetest.NewStore()}
	storetest.New(t, p, store, nil)
	if got, want := strings.Join(store.ids, " "), `"root" "branch" "leaf" "other" "a1"`; got != want {
		t.Errorf("written %s, want %s", got, want)
	}
}

// writing remembers what was written.
type writing struct {
	facade.Store
	ids []string
}

func (s *writing) Insert(ctx context.Context, e *schema.Entity, found []facade.Record, terms *facade.Terms, sel *rows.Layout) (*rows.Rows, error) {
	for _, r := range found {
		s.ids = append(s.ids, string(r.Get("id")))
	}
	return s.Store.Insert(ctx, e, found, terms, sel)
}

func TestSeedRefusals(t *testing.T) {
	p := storetest.ProjectOf(t, map[string]string{
		"entities/thing.yaml": strings.Replace(thing, "name: {type: string}", "name: {type: string, minLength: 2, x-kit: {role: {unique: [[name]]}}}\n  other: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}, role: {relation: {to: thing, kind: one}}}}", 1),
		"seeds/thing.yaml":    `[{id: a, name: x, colour: red}, {id: b, name: bb}, {id: b, name: bb, other: nowhere}, 5]`,
	})
	store := storetest.NewStore()
	f, err := facade.New(storetest.Compiled(t, p), store, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = seed.Write(t.Context(), f)
	if err == nil {
		t.Fatal("no fault")
	}
	want := `seeds/thing.yaml#/0/colour: colour is not part of the card; leave it out
seeds/thing.yaml#/0/name: name must have at least 2 characters
seeds/thing.yaml#/3: must be an object
seeds/thing.yaml#/2/id: id is taken by row 1; give every row its own
seeds/thing.yaml#/2/other: other names a thing that is not among the seeds; add the row, or name one that is there`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got := idsOf(t, f, "thing"); got != "" {
		t.Errorf("rows were written all the same: %s", got)
	}
}

// A row that is refused has its own fault alone: rows that point at it have none.
func TestSeedRefusalOfARowThatOthersPointAt(t *testing.T) {
	p := storetest.ProjectOf(t, map[string]string{
		"entities/thing.yaml": strings.Replace(thing, "name: {type: string}", "name: {type: string, minLength: 2}", 1),
		"entities/part.yaml": `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, thingId: {type: string, x-kit: {role: {relation: {to: thing, kind: one}}}},
			things: {type: array, items: {type: string}, x-kit: {role: {relation: {to: thing, kind: many}}}}}}`,
		"seeds/thing.yaml": `[{id: a, name: x}, {id: b, name: bb}]`,
		"seeds/part.yaml":  `[{id: p, thingId: a, things: [a, b]}, {id: q, thingId: a, things: []}, {id: r, thingId: c, things: []}]`,
	})
	f, err := facade.New(storetest.Compiled(t, p), storetest.NewStore(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = seed.Write(t.Context(), f)
	want := `seeds/thing.yaml#/0/name: name must have at least 2 characters
seeds/part.yaml#/2/thingId: thingId names a thing that is not among the seeds; add the row, or name one that is there`
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// Entities that point at one another in a circle: a relation that may be null is set
// once all rows are there, whichever file comes first.
func TestSeedCircle(t *testing.T) {
	const (
		team   = `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, leadId: {type: [string, 'null'], x-kit: {role: {relation: {to: member, kind: one}}}}}}`
		member = `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, teamId: {type: string, x-kit: {role: {relation: {to: team, kind: one}}}}}, required: [id, teamId]}`
	)
	for _, names := range [][2]string{{"team", "member"}, {"zteam", "member"}} {
		p := storetest.ProjectOf(t, map[string]string{
			"entities/" + names[0] + ".yaml": team,
			"entities/member.yaml":           strings.ReplaceAll(member, "to: team", "to: "+names[0]),
			"seeds/" + names[0] + ".yaml":    `[{id: red, leadId: ada}, {id: blue, leadId: null}]`,
			"seeds/member.yaml":              `[{id: ada, teamId: red}]`,
		})
		store := &writing{Store: storetest.NewStore()}
		f := storetest.New(t, p, store, nil)
		if got, want := strings.Join(store.ids, " "), `"red" "blue" "ada"`; got != want {
			t.Errorf("written %s, want %s", got, want)
		}
		got, err := storetest.Call(t, f, names[0]+".list", facade.Invocation{Query: []byte(`{"sort":"id","fields":"id,leadId","total":false}`)})
		if err != nil || !strings.Contains(got, `{"id":"blue","leadId":null},{"id":"red","leadId":"ada"}`) {
			t.Errorf("the teams are %s (%v)", got, err)
		}
	}
}
