package storetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/atomic"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rehearse"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// rehearsedFiles are a project with every form of a command. A buyer sees their own orders, without the note; the lines of an
// order go with it, and a gift loses its order.
var rehearsedFiles = map[string]string{
	"entities/order.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  ref: {type: string, x-kit: {role: {unique: [[ref]]}}}
  code: {type: string, x-kit: {lifecycle: {create: {generate: nanoid}, update: forbidden}}}
  status: {type: string, enum: [open, paid, sent], x-kit: {lifecycle: {create: {value: open}}}}
  buyer: {type: string}
  note: {type: [string, 'null'], x-kit: {lifecycle: {create: optional}}}
  placedAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now}}}
  changedAt: {type: string, format: date-time, x-kit: {lifecycle: {create: now, update: now}}}
  lines: {type: array, items: {type: string}, x-kit: {role: {relation: {to: line, kind: many}}}}
required: [ref, buyer]
`,
	"entities/line.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}, lifecycle: {create: {generate: cuid2}}}}
  orderId: {type: string, x-kit: {role: {relation: {to: order, kind: one, onDelete: cascade}}}}
  sku: {type: string}
  quantity: {type: integer, minimum: 1, x-kit: {lifecycle: {create: {value: 1}}}}
required: [orderId, sku]
`,
	"entities/gift.yaml": `
type: object
properties:
  id: {type: string, x-kit: {role: {primary: true}}}
  orderId: {type: [string, 'null'], x-kit: {role: {relation: {to: order, kind: one, onDelete: set-null}}, lifecycle: {create: optional}}}
`,
	"frond.yaml": `
name: desk
many: {order: '*', line: '*'}
nested: {order: [lines]}
changes: [order]
facts: [{name: shipped}]
doors:
  order: {operations: {ship: {kind: command, params: {type: object, properties: {id: {type: string}}, required: [id]}}, mail: {kind: command}}}
collectors:
  order:
    - when: user.role == "admin"
      allow: all
    - when: user != nil
      rows: {buyer: {eq: $user.id}}
      hide: [note]
  line:
    - when: user.role == "admin"
    - when: user != nil
      rows: {order: {buyer: {eq: $user.id}}}
  gift: [{when: user.role == "admin"}, {deny: all}]
`,
}

// rehearsing is a façade over a store that is tried.
type rehearsing struct {
	*testing.T
	facade *facade.Facade
	store  facade.Store
	r      *rand.Rand
	after  int // hooks that ran after a commit
}

// RunRehearsals runs the tests of rehearsals and approvals, each over a store of its own.
func RunRehearsals(t *testing.T, h Harness) {
	for _, test := range []struct {
		name string
		run  func(*rehearsing)
	}{
		{"random commands", testRandomRehearsals},
		{"what a caller sees of them", testSeenRehearsals},
		{"handlers and hooks", testRehearsedHandlers},
		{"tokens", testRehearsalTokens},
		{"two approvals of one token", testTwoApprovals},
		{"more than is shown", testLargeRehearsals},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := &rehearsing{T: t, r: rand.New(rand.NewPCG(7, 3))}
			w.open(h)
			test.run(w)
		})
	}
}

// open compiles the project over a new store.
func (w *rehearsing) open(h Harness) {
	fsys := fstest.MapFS{}
	for name, text := range rehearsedFiles {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	p, err := facade.Read(fsys)
	if err != nil {
		w.Fatal(err)
	}
	order := p.Door("order")
	facade.HandleCommand(order, "ship", func(ctx context.Context, in struct{ ID string }) (string, error) {
		if !facade.InDryRun(ctx) && w.facade == nil {
			return "", errors.New("no façade")
		}
		inside := facade.Inside(ctx)
		id := jsontext.Quote(in.ID)
		if _, err := inside.Call(ctx, &facade.Call{Entity: "order", Operation: "update", Invocation: facade.Invocation{ID: id, Body: []byte(`{"status":"sent"}`)}}); err != nil {
			return "", err
		}
		if _, err := inside.Call(ctx, &facade.Call{Entity: "line", Operation: "create", Invocation: facade.Invocation{Body: schema.Object{{Name: "orderId", Value: id}, {Name: "sku", Value: []byte(`"parcel"`)}}.AppendJSON(nil)}}); err != nil {
			return "", err
		}
		return "sent", facade.Emit(ctx, "shipped", nil)
	})
	facade.HandleCommand(order, "mail", func(context.Context, struct{}) (string, error) { return "mailed", nil }, facade.Detached)
	facade.Attach(order, "update", facade.Hook{After: func(context.Context, *facade.Call, *facade.Result) { w.after++ }})
	compiled := Compiled(w, p)
	w.store = h.Open(w, compiled.Catalog.Set.Entities)
	var made *facade.Facade
	if made, err = facade.New(compiled, w.store, &facade.Options{Suggest: true, Rehearse: rehearse.Middleware(func() *facade.Facade { return made })}); err != nil {
		w.Fatal(err)
	}
	w.facade = made
	for i := range 8 {
		w.must("admin", "order.create", ``, fmt.Sprintf(`{"id":"o%d","ref":"r%d","buyer":%q,"lines":{"create":[{"id":"l%[1]da","sku":"a"},{"id":"l%[1]db","sku":"b"}]}}`, i, i, []string{"ann", "bob"}[i%2]))
		w.must("admin", "gift.create", ``, fmt.Sprintf(`{"id":"g%d","orderId":"o%[1]d"}`, i))
	}
}

// stateOf is the state of a user: the admin, or a buyer by their id.
func stateOf(who string) access.State {
	return map[string]any{"user": map[string]any{"id": who, "role": map[bool]string{true: "admin", false: "buyer"}[who == "admin"]}}
}

// command is a command of any form. method "" is an atomic call, whose calls are body.
type command struct{ who, method, id, query, body string }

// make makes the command, with words beside it.
func (w *rehearsing) make(c command, words ...schema.Member) (string, *kiterror.Error) {
	w.Helper()
	if c.method == "" {
		sent := json.RawMessage(c.body)
		for _, m := range words {
			sent = jsontext.With(sent, m.Name, m.Value)
		}
		res, err := atomic.Run(context.Background(), w.facade, w.facade.Catalog(), w.facade, stateOf(c.who), "", sent)
		if err != nil {
			return "", kiterror.AsError(err)
		}
		return string(res.AppendJSON(nil)), nil
	}
	in := facade.Invocation{State: stateOf(c.who)}
	if c.query != "" {
		in.Query = json.RawMessage(c.query)
	}
	for _, m := range words {
		in.Query = jsontext.With(in.Query, m.Name, m.Value)
	}
	if c.id != "" {
		in.Params = schema.Object{{Name: "id", Value: jsontext.Quote(c.id)}}.AppendJSON(nil)
	}
	if c.body != "" {
		in.Body = json.RawMessage(c.body)
	}
	return Call(w, w.facade, c.method, in)
}

func (w *rehearsing) rehearse(c command) (string, *kiterror.Error) {
	w.Helper()
	return w.make(c, schema.Member{Name: catalog.Rehearse, Value: []byte("true")})
}

func (w *rehearsing) approve(c command, token string) (string, *kiterror.Error) {
	w.Helper()
	return w.make(c, schema.Member{Name: catalog.Approve, Value: jsontext.Quote(token)})
}

// must makes a command that succeeds.
func (w *rehearsing) must(who, method, id, body string) string {
	w.Helper()
	text, err := w.make(command{who: who, method: method, id: id, body: body})
	if err != nil {
		w.Fatalf("%s %s %s: %v", method, id, body, err)
	}
	return text
}

// dump is all rows by entity and key, with the number of events and the kept texts but the key of tokens.
func (w *rehearsing) dump() map[string]string {
	w.Helper()
	all := map[string]string{}
	for _, e := range w.facade.Catalog().Set.Entities {
		found, err := w.store.Find(w.Context(), &facade.Find{Entity: e, Select: rows.NewLayout(catalog.StoredFields(e)), Sort: []facade.SortKey{{Field: e.Primary}}, Limit: 1000})
		if err != nil {
			w.Fatal(err)
		}
		for i := range found.Rows.Len() {
			row := found.Rows.Row(i)
			all[e.Key+" "+jsontext.Unquote(row.Get(e.Primary.Name))] = string(row.JSON())
		}
	}
	log := &manyWorld{T: w.T, store: w.store}
	all["events"] = fmt.Sprint(len(log.events(0)))
	kept, err := w.store.Abilities().KeyValues.Values(w.Context(), "")
	if err != nil {
		w.Fatal(err)
	}
	delete(kept, "rehearsal key")
	all["kept"] = fmt.Sprint(len(kept))
	return all
}

// changed are the keys of rows that differ, with what happened to each.
func changed(before, after map[string]string) []string {
	var all []string
	for key, text := range before {
		switch is, there := after[key]; {
		case key == "events" || key == "kept":
		case !there:
			all = append(all, key+" DELETED")
		case is != text:
			all = append(all, key+" UPDATED")
		}
	}
	for key := range after {
		if _, there := before[key]; !there {
			all = append(all, key+" CREATED")
		}
	}
	slices.Sort(all)
	return all
}

// named are the changes of a rehearsal in the same form.
func named(answer string) []string {
	var all []string
	for _, c := range jsontext.Elements(jsontext.Get([]byte(answer), "changes")) {
		get := func(name string) string { return jsontext.Unquote(jsontext.Get(c, name)) }
		all = append(all, get("entity")+" "+get("key")+" "+get("change"))
	}
	slices.Sort(all)
	return all
}

// withoutKeys are changes without the keys of new rows, which a generator makes.
func withoutKeys(all []string) string {
	for i, c := range all {
		if parts := strings.Fields(c); parts[2] == "CREATED" {
			all[i] = parts[0] + " CREATED"
		}
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// random is a random command, of any form.
func (w *rehearsing) random(n int) command {
	pick := func(of ...string) string { return of[w.r.IntN(len(of))] }
	o := func() string { return fmt.Sprint("o", w.r.IntN(9)) }
	who := pick("admin", "admin", "admin", "ann", "bob")
	buyer := pick("ann", "bob")
	if who != "admin" {
		buyer = who
	}
	status := pick("open", "paid", "sent")
	ref := fmt.Sprint("n", n)
	set := pick(`"create":[{"sku":"x"}]`, `"create":[{"sku":"y","quantity":0}]`, `"set":[{"sku":"z"}]`, `"set":[]`, `"delete":["l1a"]`, `"update":[{"id":"l2a","quantity":5}]`)
	id := o()
	where := fmt.Sprintf(`{"where":{"status":{"eq":%q}},"max":50}`, pick("open", "paid"))
	body := fmt.Sprintf(`{"ref":%q,"buyer":%q}`, ref, buyer)
	switch w.r.IntN(12) {
	case 0:
		return command{who, "order.create", "", "", body}
	case 1:
		return command{who, "order.create", "", "", fmt.Sprintf(`{"ref":%q,"buyer":%q,"lines":{"create":[{"sku":"p"},{"sku":"q"}]}}`, ref, buyer)}
	case 2:
		return command{who, "order.update", id, "", fmt.Sprintf(`{"status":%q}`, status)}
	case 3:
		return command{who, "order.update", id, "", fmt.Sprintf(`{"lines":{%s}}`, set)}
	case 4:
		return command{who, "order.delete", id, "", ""}
	case 5:
		return command{who, "order.createMany", "", "", "[" + body + "," + strings.Replace(body, ref, ref+"b", 1) + "]"}
	case 6:
		return command{who, "order.updateMany", "", where, fmt.Sprintf(`{"status":%q}`, status)}
	case 7:
		return command{who, "order.deleteMany", "", where, ""}
	case 8:
		return command{who, "order.upsert", "", `{"by":"ref"}`, fmt.Sprintf(`{"ref":%q,"buyer":%q,"status":%q}`, pick(ref, "r1", "r2"), buyer, status)}
	case 9:
		return command{who, "order.import", "", fmt.Sprintf(`{"by":"ref","dryRun":%t}`, w.r.IntN(3) == 0), "[" + body + "," + fmt.Sprintf(`{"ref":"r3","buyer":%q,"status":%q}`, buyer, status) + `,{"ref":7}]`}
	case 10:
		return command{who, "order.ship", id, "", ""}
	}
	return command{who, "", "", "", fmt.Sprintf(`{"calls":[{"method":"order.create","params":{"body":%s}},{"method":"line.create","params":{"body":{"orderId":{"$result":"0.id"},"sku":"w"}}},{"method":"order.update","params":{"params":{"id":%q},"body":{"status":%q}}}]}`, body, id, status)}
}

// testRandomRehearsals: a rehearsal changes nothing and shows what the command changes; an approval makes it, unless a row of it
// has changed since.
func testRandomRehearsals(w *rehearsing) {
	approved, refused, made := 0, 0, 0
	for n := range 160 {
		c := w.random(n)
		before := w.dump()
		answer, err := w.rehearse(c)
		if now := w.dump(); fmt.Sprint(now) != fmt.Sprint(before) {
			w.Fatalf("the rehearsal of %+v changes %v, and the events from %s to %s", c, changed(before, now), before["events"], now["events"])
		}
		if err != nil {
			if _, plain := w.make(c); plain == nil || plain.Code != err.Code || plain.Message != err.Message {
				w.Fatalf("%+v: the rehearsal is refused with %v, and the command with %v", c, err, plain)
			}
			refused++
			continue
		}
		token, shown := jsontext.Unquote(jsontext.Get([]byte(answer), "rehearsal")), named(answer)
		if len(token) == 0 || len(token) > 1024 {
			w.Fatalf("%+v: the token has %d characters", c, len(token))
		}
		switch touched := involved(shown, w.r.IntN(3)); {
		case touched != "":
			if w.touch(touched) {
				before = w.dump()
				if _, err := w.approve(c, token); err == nil {
					w.Fatalf("%+v is approved after a change of %s", c, touched)
				}
				if now := w.dump(); fmt.Sprint(now) != fmt.Sprint(before) {
					w.Fatalf("%+v: a refused approval changes %v", c, changed(before, now))
				}
				continue
			}
		case w.r.IntN(2) == 0:
			w.must("admin", "gift.create", "", fmt.Sprintf(`{"id":"other%d"}`, n)) // which concerns none of the rows
			before = w.dump()
		}
		plain, err := w.approve(c, token)
		if err != nil {
			w.Fatalf("%+v: the approval is refused: %v %v", c, err, err.Details)
		}
		after := w.dump()
		done := changed(before, after)
		if c.who == "admin" && withoutKeys(done) != withoutKeys(slices.Clone(shown)) {
			w.Fatalf("%+v changes %v, and the rehearsal shows %v", c, done, shown)
		}
		if !json.Valid([]byte(plain)) || jsontext.Get([]byte(plain), "rehearsal") != nil {
			w.Fatalf("%+v: the approval answers %s", c, plain)
		}
		if _, err := w.approve(c, token); err == nil {
			w.Fatalf("%+v is approved twice", c)
		}
		approved++
		made += len(done)
	}
	if approved < 40 || refused < 5 || made < 60 {
		w.Errorf("%d approvals changed %d rows, and %d commands were refused: too few", approved, made, refused)
	}
}

// involved is a row of changes that is changed before the approval; "": none is.
func involved(shown []string, dice int) string {
	if dice > 0 {
		return ""
	}
	for _, c := range shown {
		if parts := strings.Fields(c); parts[0] == "order" && parts[2] != "CREATED" {
			return parts[1]
		}
	}
	return ""
}

// touch changes a field of an order that no command here sets, and reports whether it is there.
func (w *rehearsing) touch(id string) bool {
	_, err := w.make(command{who: "admin", method: "order.update", id: id, body: fmt.Sprintf(`{"note":"n%d"}`, w.r.Int())})
	return err == nil
}

// testSeenRehearsals: a caller is shown the rows that they may see, and no others.
func testSeenRehearsals(w *rehearsing) {
	for _, c := range []struct {
		who, method, id, query, body, want string
	}{
		{"admin", "order.delete", "o0", "", "", "gift g0 UPDATED, line l0a DELETED, line l0b DELETED, order o0 DELETED"},
		{"ann", "order.delete", "o0", "", "", "line l0a DELETED, line l0b DELETED, order o0 DELETED"},
		{"ann", "order.update", "o0", "", `{"status":"open"}`, "order o0 UPDATED"}, // the time of the change
		{"ann", "order.updateMany", "", `{"where":{"status":{"eq":"open"}}}`, `{"status":"paid"}`, "order o0 UPDATED, order o2 UPDATED, order o4 UPDATED, order o6 UPDATED"},
		{"admin", "order.update", "o1", "", `{}`, ""},
		{"admin", "order.import", "", `{"by":"ref","dryRun":true}`, `[{"ref":"r1","buyer":"bob","status":"paid"}]`, ""},
	} {
		answer, err := w.rehearse(command{c.who, c.method, c.id, c.query, c.body})
		if err != nil {
			w.Errorf("%s as %s: %v", c.method, c.who, err)
			continue
		}
		if got := strings.Join(named(answer), ", "); got != c.want {
			w.Errorf("%s %s as %s: got %s, want %s", c.method, c.id, c.who, got, c.want)
		}
		if c.who != "admin" && strings.Contains(answer, `"note"`) {
			w.Errorf("%s as %s shows a hidden field: %s", c.method, c.who, answer)
		}
	}
	answer, err := w.rehearse(command{who: "ann", method: "order.update", id: "o0", body: `{"status":"paid"}`})
	if err != nil {
		w.Fatal(err)
	}
	change := jsontext.List(jsontext.Get([]byte(answer), "changes"))[0]
	for side, want := range map[string]string{"before": `"open"`, "after": `"paid"`} {
		if got := string(jsontext.Get(jsontext.Get(change, side), "status")); got != want {
			w.Errorf("the status %s is %s, want %s", side, got, want)
		}
	}
	if got := string(jsontext.Get([]byte(answer), "events")); got != `[{"name":"orderChanged","entity":"order","key":"o0"}]` {
		w.Errorf("events %s", got)
	}
	if _, err := w.rehearse(command{who: "ann", method: "order.update", id: "o1", body: `{"status":"paid"}`}); err == nil || err.Code != kiterror.NotFound {
		w.Errorf("the rehearsal of a row of another caller: %v", err)
	}
	if _, err := w.rehearse(command{who: "ann", method: "order.list"}); err == nil || err.Code != kiterror.ValidationFailed {
		w.Errorf("the rehearsal of a query: %v", err)
	}
}

// testRehearsedHandlers: handlers run and are undone, hooks after a commit do not run, and a detached handler is refused.
func testRehearsedHandlers(w *rehearsing) {
	ship := command{who: "admin", method: "order.ship", id: "o0"}
	answer, err := w.rehearse(ship)
	if err != nil {
		w.Fatal(err)
	}
	if got := withoutKeys(named(answer)); got != "line CREATED, order o0 UPDATED" || string(jsontext.Get([]byte(answer), "result")) != `"sent"` {
		w.Errorf("the handler changes %s and answers %s", got, answer)
	}
	if got := string(jsontext.Get([]byte(answer), "events")); got != `[{"name":"orderChanged","entity":"order","key":"o0"},{"name":"shipped"}]` {
		w.Errorf("events %s", got)
	}
	if _, err := w.rehearse(command{who: "admin", method: "order.update", id: "o1", body: `{"status":"paid"}`}); err != nil || w.after != 0 {
		w.Errorf("%d hooks ran after a rehearsal, %v", w.after, err)
	}
	if _, err := w.approve(ship, jsontext.Unquote(jsontext.Get([]byte(answer), "rehearsal"))); err != nil {
		w.Error(err)
	}
	if _, err := w.rehearse(command{who: "admin", method: "order.mail"}); err == nil || err.Code != kiterror.NotImplemented {
		w.Errorf("the rehearsal of a detached handler: %v", err)
	}
}

// testRehearsalTokens: a token is of one call, of one store, and is used once.
func testRehearsalTokens(w *rehearsing) {
	update := command{who: "admin", method: "order.update", id: "o0", body: `{"status":"paid","buyer":"ann"}`}
	answer, err := w.rehearse(update)
	if err != nil {
		w.Fatal(err)
	}
	token := jsontext.Unquote(jsontext.Get([]byte(answer), "rehearsal"))
	reason := func(c command, token string) string {
		_, err := w.approve(c, token)
		if err == nil {
			return "written"
		}
		if details, ok := err.Details.(map[string]any); ok {
			return fmt.Sprint(err.Code, " ", details["reason"])
		}
		return short(err)
	}
	for _, c := range []struct {
		name  string
		call  command
		token string
		want  string
	}{
		{"another body", command{"admin", "order.update", "o0", "", `{"status":"sent","buyer":"ann"}`}, token, "PRECONDITION_FAILED other call"},
		{"another row", command{"admin", "order.update", "o1", "", update.body}, token, "PRECONDITION_FAILED other call"},
		{"a condition more", command{"admin", "order.update", "o0", `{"where":{"status":{"eq":"open"}}}`, update.body}, token, "PRECONDITION_FAILED other call"},
		{"damaged", update, token[:20] + "AA" + token[22:], "VALIDATION_FAILED /query/approve format"},
		{"cut", update, token[:10], "VALIDATION_FAILED /query/approve format"},
		{"no token", update, "yes", "VALIDATION_FAILED /query/approve format"},
		{"a caller without the right", command{"bob", "order.update", "o0", "", update.body}, token, "NOT_FOUND"},
		{"members in another order", command{"admin", "order.update", "o0", "", `{"buyer": "ann", "status": "paid"}`}, token, "written"},
		{"again", update, token, "PRECONDITION_FAILED used"},
	} {
		if got := reason(c.call, c.token); got != c.want {
			w.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	// A changed row is named, and a new token comes with it.
	if answer, err = w.rehearse(command{"admin", "order.update", "o2", "", `{"status":"paid"}`}); err != nil {
		w.Fatal(err)
	}
	w.touch("o2")
	_, err = w.approve(command{"admin", "order.update", "o2", "", `{"status":"paid"}`}, jsontext.Unquote(jsontext.Get([]byte(answer), "rehearsal")))
	if err == nil {
		w.Fatal("the changed row is written")
	}
	details, _ := err.Details.(map[string]any)
	if key, _ := details["key"].(json.RawMessage); details["reason"] != "changed" || details["entity"] != "order" || string(key) != `"o2"` {
		w.Errorf("the refusal says %v", details)
	}
	fresh, _ := details["rehearsal"].(string)
	if got := reason(command{"admin", "order.update", "o2", "", `{"status":"paid"}`}, fresh); got != "written" {
		w.Errorf("the new token: %s", got)
	}
	both := []schema.Member{{Name: catalog.Rehearse, Value: []byte("true")}, {Name: catalog.Approve, Value: jsontext.Quote(token)}}
	for want, words := range map[string][]schema.Member{
		"/query/approve oneOf": both, "/query/rehearse type": {{Name: catalog.Rehearse, Value: []byte(`"yes"`)}}, "/query/approve type": {{Name: catalog.Approve, Value: []byte(`7`)}},
	} {
		if _, err := w.make(update, words...); err == nil || short(err) != "VALIDATION_FAILED "+want {
			w.Errorf("got %v, want %s", err, want)
		}
	}
}

// testTwoApprovals: of approvals of one token at a time, one writes.
func testTwoApprovals(w *rehearsing) {
	for n := range 6 {
		c := command{who: "admin", method: "order.create", body: fmt.Sprintf(`{"ref":"t%d","buyer":"ann"}`, n)}
		if n%2 == 1 { // rows of which nothing keeps a second one from being written
			c = command{who: "admin", method: "line.create", body: `{"orderId":"o0","sku":"twice"}`}
		}
		answer, err := w.rehearse(c)
		if err != nil {
			w.Fatal(err)
		}
		token := jsontext.Unquote(jsontext.Get([]byte(answer), "rehearsal"))
		before := w.dump()
		var group sync.WaitGroup
		var won [4]bool
		for i := range won {
			group.Go(func() {
				_, err := w.approve(c, token)
				won[i] = err == nil
				if err != nil && err.Code != kiterror.PreconditionFailed && err.Code != kiterror.Conflict && err.Code != kiterror.ServiceUnavailable { // on a slow machine the time of a transaction ends
					w.Errorf("a second approval: %v", err)
				}
			})
		}
		group.Wait()
		if done := changed(before, w.dump()); len(done) != 1 || !slices.Contains(won[:], true) {
			w.Fatalf("%d approvals at once, of which won %v, change %v", len(won), won, done)
		}
	}
}

// testLargeRehearsals: a rehearsal shows some rows, and counts the others.
func testLargeRehearsals(w *rehearsing) {
	list := strings.TrimSuffix(strings.Repeat(`{"orderId":"o0","sku":"many"},`, 550), ",")
	c := command{who: "admin", body: fmt.Sprintf(`{"calls":[{"method":"line.createMany","params":{"body":[%s]}},{"method":"line.createMany","params":{"body":[%[1]s]}}]}`, list)}
	answer, err := w.rehearse(c)
	if err != nil {
		w.Fatal(err)
	}
	shown, more := len(named(answer)), string(jsontext.Get([]byte(answer), "more"))
	if shown != 1000 || more != "100" {
		w.Errorf("%d are shown, and %s more", shown, more)
	}
	if token := jsontext.Unquote(jsontext.Get([]byte(answer), "rehearsal")); len(token) > 1024 {
		w.Errorf("the token has %d characters", len(token))
	} else if _, err := w.approve(c, token); err != nil {
		w.Error(err)
	}
}
