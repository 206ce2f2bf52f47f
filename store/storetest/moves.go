package storetest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/frondhost/frond/facade"
)

// Rows under a rule that reads through relations: a write of the key of such a relation moves a row,
// and the rule holds for the row after the write.

// moveCards have tasks of people, with remarks. A remark belongs to a task, may name a second one and the remark that
// it answers, and has a list of labels.
var moveCards = map[string]string{
	"entities/task.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  assignee: {type: string}
  remarks: {x-kit: {role: {relation: {to: remark, kind: many, by: taskId}}}}
required: [id, assignee]`,
	"entities/label.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  owner: {type: string}
required: [id, owner]`,
	"entities/remark.yaml": `
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  text: {type: string}
  taskId: {x-kit: {role: {relation: {to: task, kind: one, onDelete: cascade}}}}
  otherId: {type: [string, 'null'], x-kit: {role: {relation: {to: task, kind: one}}, lifecycle: {create: optional}}}
  aboutId: {type: [string, 'null'], x-kit: {role: {relation: {to: remark, kind: one}}, lifecycle: {create: optional}}}
  answers: {x-kit: {role: {relation: {to: remark, kind: many, by: aboutId}}}}
  labelIds: {x-kit: {role: {relation: {to: label, kind: many}}}}
required: [id, text, taskId]`,
	"seeds/task.yaml":  "[{id: t1, assignee: ann}, {id: t2, assignee: bob}, {id: t3, assignee: ann}]",
	"seeds/label.yaml": "[{id: mine, owner: ann}, {id: theirs, owner: bob}]",
	"seeds/remark.yaml": `
- {id: r, text: x, taskId: t1, labelIds: [mine]}
- {id: r2, text: x, taskId: t1, otherId: t2, labelIds: [mine, theirs]}
- {id: r3, text: mine, taskId: t2, aboutId: r, labelIds: []}`,
}

// testMoves writes remarks by every form of a write. A refused write leaves the row as it was.
func testMoves(w *manyWorld) {
	const yes, no = true, false
	under := map[string]*facade.Facade{}
	for _, c := range []struct {
		rule, row, patch string
		may              bool
	}{
		{`{task: {assignee: {eq: $user.id}}}`, "r", `{"taskId":"t2"}`, no},
		{`{task: {assignee: {eq: $user.id}}}`, "r", `{"taskId":"t3"}`, yes},
		{`{task: {assignee: {eq: $user.id}}}`, "r", `{"text":"y"}`, yes},
		{`{task: {assignee: {eq: $user.id}}}`, "r", `{"text":"y","taskId":"t2"}`, no},
		{`{not: {task: {assignee: {eq: bob}}}}`, "r", `{"taskId":"t2"}`, no},
		{`{and: [{task: {assignee: {eq: $user.id}}}, {text: {ne: z}}]}`, "r", `{"taskId":"t2"}`, no},
		{`{or: [{task: {assignee: {eq: $user.id}}}, {other: {assignee: {eq: $user.id}}}]}`, "r", `{"taskId":"t2"}`, no},
		{`{or: [{task: {assignee: {eq: $user.id}}}, {other: {assignee: {eq: $user.id}}}]}`, "r", `{"taskId":"t2","otherId":"t3"}`, yes},
		{`{or: [{task: {assignee: {eq: $user.id}}}, {other: {assignee: {eq: $user.id}}}]}`, "r", `{"otherId":"t2"}`, yes},
		{`{or: [{task: {assignee: {eq: $user.id}}}, {text: {eq: y}}]}`, "r", `{"taskId":"t2","text":"y"}`, yes},
		{`{other: {assignee: {eq: bob}}}`, "r2", `{"otherId":null}`, no},
		{`{not: {other: {assignee: {eq: $user.id}}}}`, "r2", `{"otherId":"t3"}`, no},
		{`{labels: {some: {owner: {eq: $user.id}}}}`, "r", `{"labelIds":["theirs"]}`, no},
		{`{labels: {some: {owner: {eq: $user.id}}}}`, "r", `{"labelIds":["theirs","mine"]}`, yes},
		{`{labels: {every: {owner: {eq: $user.id}}}}`, "r", `{"labelIds":["theirs","mine"]}`, no},
		{`{labels: {none: {owner: {eq: bob}}}}`, "r", `{"labelIds":["theirs"]}`, no},
		{`{labels: {count: {gte: 1}}}`, "r", `{"labelIds":[]}`, no},
		{`{labels: {count: {gte: 2}}}`, "r2", `{"labelIds":["mine"]}`, no},
		// The rule leads back to remarks, so that fields of the row itself are behind its relation.
		{`{task: {remarks: {some: {text: {eq: mine}}}}}`, "r3", `{"taskId":"t3"}`, yes},
		{`{task: {remarks: {some: {text: {eq: mine}}}}}`, "r3", `{"text":"z"}`, no},
		{`{task: {remarks: {none: {text: {eq: z}}}}}`, "r", `{"text":"z"}`, no},
		{`{or: [{id: {ne: r}}, {answers: {some: {text: {eq: mine}}}}]}`, "r", `{"taskId":"t3"}`, yes},
		{`{or: [{id: {ne: r}}, {not: {answers: {some: {id: {eq: r}}}}}]}`, "r", `{"aboutId":"r"}`, no},
		{`{or: [{id: {ne: r3}}, {about: {text: {eq: x}}}]}`, "r3", `{"aboutId":"r3"}`, no},
	} {
		f := under[c.rule]
		if f == nil {
			f = moveFacade(w, c.rule)
			under[c.rule] = f
		}
		call := func(who, method string, in facade.Invocation) string {
			in.State = map[string]any{"user": map[string]any{"id": who}}
			text, err := Call(w, f, method, in)
			if err != nil {
				return short(err)
			}
			return text
		}
		stands := func() string {
			return call("admin", "remark.findById", facade.Invocation{ID: json.RawMessage(`"` + c.row + `"`)})
		}
		was := stands()
		var row, patch map[string]any
		for text, into := range map[string]*map[string]any{was: &row, c.patch: &patch} {
			if err := json.Unmarshal([]byte(text), into); err != nil {
				w.Fatal(err)
			}
		}
		owner := row["taskId"]
		maps.Copy(row, patch)
		whole, err := json.Marshal(row)
		if err != nil {
			w.Fatal(err)
		}
		id, one := json.RawMessage(`"`+c.row+`"`), json.RawMessage(`{"where":{"id":{"eq":"`+c.row+`"}}}`)
		forms := []struct {
			method string
			in     facade.Invocation
		}{
			{"remark.update", facade.Invocation{ID: id, Body: json.RawMessage(c.patch)}},
			{"remark.updateMany", facade.Invocation{Query: one, Body: json.RawMessage(c.patch)}},
			{"remark.upsert", facade.Invocation{Query: json.RawMessage(`{"by":"id"}`), Body: whole}},
			{"remark.import", facade.Invocation{Query: json.RawMessage(`{"by":"id"}`), Body: json.RawMessage("[" + string(whole) + "]")}},
		}
		if patch["taskId"] == nil { // nested rows stay with their owner
			forms = append(forms, struct {
				method string
				in     facade.Invocation
			}{"task.update", facade.Invocation{ID: fmt.Appendf(nil, "%q", owner), Body: json.RawMessage(`{"remarks":{"update":[` + `{"id":"` + c.row + `",` + c.patch[1:] + `]}}`)}})
		}
		for _, form := range forms {
			got := call("ann", form.method, form.in)
			if is := stands(); c.may == (is == was) || strings.Contains(got, "FORBIDDEN") == c.may {
				w.Errorf("%s under %s: %s of %s answers %s, and the row is %s", form.method, c.rule, c.patch, c.row, got, is)
			}
			if c.may {
				back, err := json.Marshal(without(was, "id"))
				if err != nil {
					w.Fatal(err)
				}
				call("admin", "remark.update", facade.Invocation{ID: id, Body: back})
			}
		}
	}
}

// moveFacade returns a façade over a new store. The rule holds for remarks of everybody but the admin, and not for
// create.
func moveFacade(w *manyWorld, rule string) *facade.Facade {
	files := maps.Clone(moveCards)
	files["frond.yaml"] = `
name: desk
many: {remark: '*'}
nested: {task: [remarks]}
collectors:
  task: open
  label: open
  remark:
    - when: user.id == "admin"
    - for: [update, findById, list]
      rows: ` + rule + `
    - allow: all`
	p := ProjectOf(w, files)
	return New(w, p, w.opened(w, Compiled(w, p).Catalog.Set.Entities), nil)
}

// without is an object without one member.
func without(text, name string) map[string]json.RawMessage {
	var o map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &o) == nil {
		delete(o, name)
	}
	return o
}
