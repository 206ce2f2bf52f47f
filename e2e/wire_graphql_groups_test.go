package e2e_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// groups carries aggregate: the fields aggregate and groups of the connection of the door's list.
//
//	{"by": "status", "select": "count,total.sum", "sort": "-total.sum"}
//	{ it: orders { it: groups(by: [{status: VALUE}], orderBy: [{total: {sum: DESC}}]) { items { key { status } count total { sum } } … } } }
func (w *graphqlWire) groups(t *testing.T, c call, door doorShape) (answer, bool) {
	t.Helper()
	field, ok := w.fields[door.many]
	if !ok {
		return answer{}, false
	}
	sent := members(t, c.Query)
	names := func(key string) (list []string) {
		v := sent[key]
		switch {
		case v == nil:
		case v[0] == '"':
			list = strings.Split(text(t, v), ",")
		case json.Unmarshal(v, &list) != nil:
			t.Fatalf("%s: %s", key, v)
		}
		return list
	}
	of := slices.IndexFunc(w.types[field.Type.named().Name].Fields, func(f gqlField) bool { return f.Name == "groups" })
	if of < 0 {
		return answer{}, false
	}
	r := request{wire: w, field: w.types[field.Type.named().Name].Fields[of], variables: map[string]json.RawMessage{}}
	list := request{wire: w, field: field, variables: map[string]json.RawMessage{}}
	var by, order []any
	var keys []string
	for _, name := range names("by") {
		name, unit, cut := strings.Cut(name, ":")
		if !cut {
			unit = "value"
		}
		by, keys = append(by, map[string]string{name: strings.ToUpper(unit)}), append(keys, name)
	}
	for _, name := range names("sort") {
		name, desc := strings.CutPrefix(name, "-")
		way := map[bool]string{true: "DESC"}[desc]
		if !desc {
			way = "ASC"
		}
		switch at, fn, ok := strings.Cut(name, "."); {
		case ok:
			order = append(order, map[string]any{at: map[string]string{fn: way}})
		case slices.Contains(keys, name):
			order = append(order, map[string]any{name: map[string]string{"key": way}})
		default:
			order = append(order, map[string]string{name: way})
		}
	}
	r.variables["by"] = json.RawMessage(encode(t, by))
	if order != nil {
		r.argument("orderBy", json.RawMessage(encode(t, order)))
	}
	for name, to := range map[string]string{"having": "having", "limit": "first", "after": "after", "zone": "zone"} {
		if v := sent[name]; v != nil {
			r.argument(to, v)
		}
	}
	for _, name := range []string{"filter", "search"} {
		if v := sent[name]; v != nil {
			list.argument(name, v)
		}
	}
	group := "{ key { " + strings.Join(append(keys, "__typename"), " ") + " }" + functions(names("select")) + " }"
	document := r.groupsDocument(&list, group, len(by) > 0)
	if r.missing != "" || list.missing != "" {
		return answer{}, false
	}
	data, errs := w.post(t, document, r.variables, c.userHeader()...)
	if len(errs) > 0 {
		return answer{Err: w.failure(t, errs)}, true
	}
	value := decode(t, data).(map[string]any)["it"].(map[string]any)["it"].(map[string]any)
	if len(by) == 0 {
		value = map[string]any{"items": []any{value}, "hasMore": false, "endCursor": nil}
	}
	for _, g := range value["items"].([]any) {
		delete(g.(map[string]any)["key"].(map[string]any), "__typename")
	}
	return answer{Value: value}, true
}

// functions selects functions by their names.
func functions(names []string) (text string) {
	if names == nil {
		return " count"
	}
	for _, name := range names {
		if at, fn, ok := strings.Cut(name, "."); ok {
			text += fmt.Sprintf(" %s { %s }", at, fn)
		} else {
			text += " " + name
		}
	}
	return text
}

// groupsDocument selects a group of a list.
func (r *request) groupsDocument(list *request, group string, keyed bool) string {
	var declared []string
	use := func(of *request) string {
		var used []string
		for _, a := range of.field.Args {
			if _, ok := of.variables[a.Name]; ok {
				declared = append(declared, "$"+a.Name+": "+a.Type.String())
				used = append(used, a.Name+": $"+a.Name)
				r.variables[a.Name] = of.variables[a.Name]
			}
		}
		return parens(used)
	}
	head := "it: " + list.field.Name + use(list)
	inner := "it: aggregate " + group
	if keyed {
		inner = "it: groups" + use(r) + " { items " + group + " hasMore endCursor }"
	} else {
		delete(r.variables, "by")
	}
	return "query E2E" + parens(declared) + " { " + head + " { " + inner + " } }"
}
