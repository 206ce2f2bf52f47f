package binding

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// GroupKey is the member of a group that has its keys, and in an order the key of that field.
const GroupKey = "key"

// GroupBy returns the argument by as query.by of aggregate:
//
//	[{status: VALUE}, {placedAt: MONTH}]
//	["status", "placedAt:month"]
func GroupBy(by json.RawMessage) (json.RawMessage, *kiterror.Error) {
	var names []string
	for _, object := range jsontext.Elements(by) {
		name, unit, ok := only(object)
		if !ok {
			return nil, kiterror.Errorf(kiterror.BadRequest, "by takes one key an object, such as [{status: VALUE}, {createdAt: MONTH}]")
		}
		if word := strings.ToLower(jsontext.Unquote(unit)); word != "value" {
			name += ":" + word
		}
		names = append(names, name)
	}
	return jsontext.AppendStrings(nil, names), nil
}

// GroupSort returns the argument orderBy of groups as query.sort of aggregate, and adds the functions that
// it names to functions, for query.select:
//
//	[{count: DESC}, {total: {sum: ASC}}, {status: {key: ASC}}]
//	["-count", "total.sum", "status"]
func GroupSort(orderBy json.RawMessage, functions []string) (json.RawMessage, []string, *kiterror.Error) {
	var names []string
	for _, object := range jsontext.Elements(orderBy) {
		name, direction, ok := only(object)
		if ok && jsontext.KindOf(direction) == jsontext.Object {
			var fn string
			if fn, direction, ok = only(direction); fn != GroupKey {
				name += "." + fn
				functions = With(functions, name)
			}
		} else {
			functions = With(functions, name)
		}
		if !ok {
			return nil, nil, kiterror.Errorf(kiterror.BadRequest, "orderBy takes one key an object, such as [{count: DESC}, {createdAt: {key: ASC}}]")
		}
		if strings.EqualFold(jsontext.Unquote(direction), "DESC") {
			name = "-" + name
		}
		names = append(names, name)
	}
	return jsontext.AppendStrings(nil, names), functions, nil
}

// GroupHaving adds the functions that the argument having names to functions, for query.select.
func GroupHaving(having json.RawMessage, functions []string) []string {
	for name, value := range jsontext.Members(having) {
		switch {
		case name == "and" || name == "or":
			for _, item := range jsontext.Elements(value) {
				functions = GroupHaving(item, functions)
			}
		case name == "not":
			functions = GroupHaving(value, functions)
		case name == "count":
			functions = With(functions, name)
		default:
			for fn := range jsontext.Members(value) {
				functions = With(functions, name+"."+fn)
			}
		}
	}
	return functions
}

// With returns names with one more, which is there once.
func With(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// only returns the one member of an object; ok is false if it has another number of members, or
// a null.
func only(object json.RawMessage) (name string, value json.RawMessage, ok bool) {
	n := 0
	for name, value = range jsontext.Members(object) {
		n++
	}
	return name, value, n == 1 && !jsontext.IsNull(value)
}
