package facade_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/store/storetest"
)

// Entities that point at one another in a circle: a relation that may be null is set
// once all rows are there, whichever file comes first.
func TestSeedCircle(t *testing.T) {
	const (
		team   = `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, leadId: {type: [string, 'null'], x-kit: {role: {relation: {to: member, kind: one}}}}}}`
		member = `{type: object, properties: {id: {type: string, x-kit: {role: {primary: true}}}, teamId: {type: string, x-kit: {role: {relation: {to: team, kind: one}}}}}, required: [id, teamId]}`
	)
	for _, names := range [][2]string{{"team", "member"}, {"zteam", "member"}} {
		p := projectOf(t, map[string]string{
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
