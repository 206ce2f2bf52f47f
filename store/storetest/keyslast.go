package storetest

import (
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade"
)

// Unique keys with relations to hidden rows: whether a key is taken is answered only if the references and the
// access rules let the row be written.

// memberCards have projects, of which some are hidden and some belong to others, and members of projects.
var memberCards = map[string]string{
	"entities/project.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  owner: {type: string}
  hidden: {type: boolean}
required: [id, owner, hidden]`,
	"entities/member.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  projectId: {x-kit: {role: {relation: {to: project, kind: one}, unique: [[projectId, person]]}}}
  person: {type: string, x-kit: {role: {unique: [[projectId, person]]}}}
  badge: {type: [string, 'null'], x-kit: {role: {unique: [[badge]]}, lifecycle: {create: optional}}}
required: [projectId, person]`,
	"seeds/project.yaml": "[{id: own, owner: ann, hidden: false}, {id: seen, owner: bob, hidden: false}, {id: unseen, owner: bob, hidden: true}]",
	"seeds/member.yaml":  "[{id: m, projectId: own, person: eve, badge: b1}, {id: n, projectId: seen, person: taken, badge: taken}, {id: o, projectId: unseen, person: taken}]",
	"frond.yaml": `
name: desk
many: {member: '*'}
collectors:
  project: [{rows: {hidden: {eq: false}}}]
  member:
    - when: user.id == "admin"
    - rows: {project: {owner: {eq: $user.id}}}`,
}

// testKeysLast sends each write with a key that a hidden row has, and with one that no row has.
func testKeysLast(w *manyWorld) {
	p := ProjectOf(w, memberCards)
	f := New(w, p, w.opened(w, Compiled(w, p).Catalog.Set.Entities), nil)
	call := func(method, id, query, body string) string {
		in := facade.Invocation{State: map[string]any{"user": map[string]any{"id": "ann"}}, Query: json.RawMessage(query), Body: json.RawMessage(body)}
		if id != "" {
			in.ID = json.RawMessage(id)
		}
		text, err := Call(w, f, method, in)
		if err != nil {
			text = string(err.AppendJSON(nil))
		}
		return text
	}
	const pair = `{"by":["projectId","person"]}`
	for _, c := range []struct{ method, id, query, body, want string }{
		{"member.create", "", "", `{"projectId":"unseen","person":"X"}`, "reference"},
		{"member.create", "", "", `{"projectId":"seen","person":"X"}`, "FORBIDDEN"},
		{"member.create", "", "", `{"projectId":"seen","person":"z","badge":"X"}`, "FORBIDDEN"},
		{"member.createMany", "", "", `[{"projectId":"own","person":"z"},{"projectId":"unseen","person":"X"}]`, "reference"},
		{"member.createMany", "", "", `[{"projectId":"own","person":"z"},{"projectId":"seen","person":"X"}]`, "FORBIDDEN"},
		{"member.upsert", "", pair, `{"projectId":"unseen","person":"X"}`, "reference"},
		{"member.upsert", "", pair, `{"projectId":"seen","person":"X"}`, "FORBIDDEN"},
		{"member.upsert", "", `{"by":"badge"}`, `{"projectId":"seen","person":"z","badge":"X"}`, "FORBIDDEN"},
		{"member.import", "", pair, `[{"projectId":"unseen","person":"X"}]`, "reference"},
		{"member.import", "", pair, `[{"projectId":"seen","person":"X"},{"projectId":"unseen","person":"X"}]`, "FORBIDDEN"},
		{"member.import", "", `{"by":"badge"}`, `[{"projectId":"seen","person":"X","badge":"b2"},{"projectId":"seen","person":"z","badge":"X"}]`, "FORBIDDEN"},
		{"member.update", `"m"`, "", `{"projectId":"unseen","person":"X"}`, "reference"},
		{"member.update", `"m"`, "", `{"projectId":"seen","person":"X"}`, "FORBIDDEN"},
		{"member.updateMany", "", `{"where":{"id":{"eq":"m"}}}`, `{"projectId":"seen","person":"X"}`, "FORBIDDEN"},
		{"member.upsert", "", `{"by":"id"}`, `{"id":"m","projectId":"seen","person":"X"}`, "FORBIDDEN"},
	} {
		taken := call(c.method, c.id, c.query, strings.ReplaceAll(c.body, `"X"`, `"taken"`))
		free := call(c.method, c.id, c.query, strings.ReplaceAll(c.body, `"X"`, `"none"`))
		if taken != free || !strings.Contains(taken, c.want) {
			w.Errorf("%s %s %s, want %s:\ntaken %s\nfree  %s", c.method, c.query, c.body, c.want, taken, free)
		}
	}
	// A row that the caller may write has its CONFLICT.
	for _, c := range []struct{ method, id, query, body string }{
		{"member.create", "", "", `{"projectId":"own","person":"eve"}`},
		{"member.createMany", "", "", `[{"projectId":"own","person":"z"},{"projectId":"own","person":"eve"}]`},
		{"member.upsert", "", pair, `{"projectId":"own","person":"q","badge":"taken"}`},
		{"member.update", `"m"`, "", `{"badge":"taken"}`},
		{"member.update", `"m"`, "", `{"projectId":"own","badge":"taken"}`},
	} {
		if got := call(c.method, c.id, c.query, c.body); !strings.Contains(got, "CONFLICT") || !strings.Contains(got, `"unique"`) {
			w.Errorf("%s %s answers %s", c.method, c.body, got)
		}
	}
}
