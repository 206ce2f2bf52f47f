package rights

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// shown is the number of keys in a message.
const shown = 5

// visible checks the rows of a door that the caller sees.
func (t *tester) visible(v *project.VisibleRows) Result {
	r := check("sees %s of %s", count(v.Count), v.Door)
	switch {
	case v.Denied:
		r = check("is denied %s", v.Door)
	case v.Keys != nil:
		r = check("sees %s of %s", listed(v.Keys), v.Door)
	}
	door := t.catalog.Door(v.Door)
	switch {
	case door == nil:
		return t.noDoor(r, v.Door)
	case v.Denied:
		return t.denied(r, door)
	case door.Entity == nil || door.Entity.Primary == nil || door.Operation("list") == nil:
		return r.fault("%s has no operation list, which the check calls; write its other operations under may", door.Name)
	}
	for i, key := range v.Keys {
		key, why := door.Entity.Primary.KeyText(key)
		if why != "" {
			return r.fault("%s is no key of %s; write %s", plain(v.Keys[i]), door.Name, why)
		}
		if v.Keys[i] = key; !t.exists(door, key) {
			return t.noRow(r, door, key)
		}
	}
	total, keys, a := t.list(door, len(v.Keys)+shown)
	expected, came := count(v.Count), count(total)
	if v.Keys != nil {
		expected = "exactly " + listed(v.Keys)
	}
	switch {
	case a.err != nil:
		return r.failed(expected, a.came(), a.rule)
	case v.Keys == nil && total != v.Count && len(keys) > 0:
		return r.failed(expected, came+", such as "+listed(keys), a.rule)
	case v.Keys == nil && total != v.Count:
		return r.failed(expected, came, a.rule)
	case v.Keys != nil && total > 0 && len(keys) == 0:
		return r.fault("the key of %s is hidden from this caller; write a number of rows", door.Name)
	}
	if differ := differing(v.Keys, keys, a.result.HasMore); v.Keys != nil && differ != "" {
		return r.failed(expected, came+differ, a.rule)
	}
	if total == 0 && len(t.someKeys(door)) == 0 {
		return r.fault("%s has no row at all, so that the check cannot fail; add rows to its seeds", door.Name)
	}
	return r
}

// denied checks that the caller can neither list nor find the rows of a door.
func (t *tester) denied(r Result, door *catalog.Door) Result {
	asked := 0
	for _, name := range []string{"list", "findById"} {
		op := door.Operation(name)
		if op == nil {
			continue
		}
		asked++
		a := t.try(&facade.Call{Entity: door.Name, Operation: name, Invocation: t.anyRow(door, name)})
		if !isDenial(a.err) {
			return r.failed("UNAUTHORIZED or FORBIDDEN for list and findById", name+": "+a.came(), a.rule)
		}
		t.coverage.refused[door.Name+"."+name] = true
	}
	if asked == 0 {
		return r.fault("%s has neither list nor findById, so that the check cannot fail; write its operations under mayNot", door.Name)
	}
	return r
}

// hidden checks that a field of a door does not exist for the caller, in a list and in a row.
func (t *tester) hidden(name, field string) Result {
	r := check("does not see %s.%s", name, field)
	door := t.catalog.Door(name)
	if door == nil {
		return t.noDoor(r, name)
	}
	if door.Entity == nil {
		return r.fault("%s has no rows, and so no fields", door.Name)
	}
	path, relation := field, door.Entity.Relation(field)
	if names := door.FieldNames(); !slices.Contains(names, field) && relation == nil {
		return r.fault("%s has no field %s; %sits fields are %s", door.Name, schema.Quoted(field), schema.DidYouMean(field, names), strings.Join(names, ", "))
	}
	if relation != nil && (!relation.Field.Stored || relation.Field.Name != field) { // it is selected with a field of its rows
		path = field + "." + relation.Target.Primary.Name
	}
	asked := 0
	for _, op := range []string{"list", "findById"} {
		if door.Operation(op) == nil {
			continue
		}
		asked++
		a := t.try(&facade.Call{Entity: door.Name, Operation: op, Invocation: t.anyRow(door, op), Select: []string{path}})
		t.coverage.fields[a.at+" "+field] = true
		if !isDenial(a.err) && !hides(a.err) {
			return r.failed("an unknown field", op+" with fields="+path+": "+a.came(), a.rule)
		}
	}
	if asked == 0 {
		return r.fault("%s has neither list nor findById, so that the check cannot fail; leave it out", door.Name)
	}
	return r
}

// hides reports whether a failure says that a selected field is unknown.
func hides(err *kiterror.Error) bool {
	if err == nil {
		return false
	}
	details, _ := err.Details.([]schema.Detail)
	return slices.ContainsFunc(details, func(d schema.Detail) bool {
		return d.Code == schema.UnknownKey && strings.HasPrefix(d.Pointer, "/query/fields")
	})
}

// anyRow is the invocation of list or findById for one row of a door.
func (t *tester) anyRow(door *catalog.Door, op string) (in facade.Invocation) {
	if op == "list" {
		in.Query = json.RawMessage(`{"limit":1}`)
		return in
	}
	in.ID = json.RawMessage(`"0"`)
	if keys := t.someKeys(door); len(keys) > 0 {
		in.ID = keys[0]
	}
	return in
}

// list lists the first rows of a door as the caller, and returns the number of all and the keys of the first ones; without keys where the
// caller does not see them.
func (t *tester) list(door *catalog.Door, limit int) (total int64, keys []json.RawMessage, a *attempted) {
	call := func(query json.RawMessage) *facade.Call {
		return &facade.Call{Entity: door.Name, Operation: "list", Invocation: facade.Invocation{Query: query}}
	}
	if a = t.try(call(firstKeys(door, limit))); a.err != nil && a.err.Code == kiterror.ValidationFailed {
		a = t.try(call(json.RawMessage(`{"limit":0}`)))
	}
	if a.err != nil {
		return 0, nil, a
	}
	return a.result.Total, keysOf(door, a.result), a
}

// firstKeys is the query of list for the keys of the first rows.
func firstKeys(door *catalog.Door, limit int) json.RawMessage {
	return fmt.Appendf(nil, `{"fields":[%q],"limit":%d}`, door.Entity.Primary.Name, limit)
}

// keysOf returns the keys of the rows of an answer.
func keysOf(door *catalog.Door, res *facade.Result) (keys []json.RawMessage) {
	for i := range res.Rows.Len() {
		if key := res.Rows.Row(i).Get(door.Entity.Primary.Name); key != nil {
			keys = append(keys, key)
		}
	}
	return keys
}

// exists reports whether a door has a row. It is true for the rows of a remote, which only their host knows.
func (t *tester) exists(door *catalog.Door, key json.RawMessage) bool {
	if door.Frond.Remote != "" {
		return true
	}
	res, err := t.inside(&facade.Call{Entity: door.Name, Operation: "findById", Invocation: facade.Invocation{ID: key}, Select: []string{door.Entity.Primary.Name}})
	return err == nil && res.Rows.Len() > 0
}

// someKeys returns the keys of a few rows of a door, without access rules.
func (t *tester) someKeys(door *catalog.Door) []json.RawMessage {
	res, err := t.inside(&facade.Call{Entity: door.Name, Operation: "list", Invocation: facade.Invocation{Query: firstKeys(door, shown)}})
	if err != nil {
		return nil
	}
	return keysOf(door, res)
}

// noRow is the fault of a key that no row has.
func (t *tester) noRow(r Result, door *catalog.Door, key json.RawMessage) Result {
	rows := "it has no rows"
	if keys := t.someKeys(door); len(keys) > 0 {
		rows = "there are rows such as " + listed(keys)
	}
	return r.fault("no row of %s has the key %s; %s", door.Name, plain(key), rows)
}

// differing describes how the keys that came differ from the expected ones; "": they do not. With more there are rows after those that
// came.
func differing(expected, came []json.RawMessage, more bool) (text string) {
	without := func(a, b []json.RawMessage) []json.RawMessage {
		return slices.DeleteFunc(slices.Clone(a), func(key json.RawMessage) bool {
			return slices.ContainsFunc(b, func(other json.RawMessage) bool { return string(other) == string(key) })
		})
	}
	if missing := without(expected, came); len(missing) > 0 && !more {
		text += ", without " + listed(missing)
	}
	switch others := without(came, expected); {
	case more && len(others) > 0:
		text += ", with others such as " + listed(others[:min(len(others), shown)])
	case len(others) > 0:
		text += ", with " + listed(others)
	}
	return text
}

// count is a number of rows in words.
func count(n int64) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// listed names keys, the first ones of many.
func listed(keys []json.RawMessage) string {
	if len(keys) == 0 {
		return "no row"
	}
	var names []string
	for _, key := range keys[:min(len(keys), shown)] {
		names = append(names, plain(key))
	}
	if more := len(keys) - shown; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// plain is a key without the quotes of JSON.
func plain(key json.RawMessage) string {
	if text, ok := jsontext.Text(key); ok {
		return text
	}
	return string(key)
}
