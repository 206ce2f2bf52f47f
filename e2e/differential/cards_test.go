package differential

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
)

// entity is one entity of a world, and its rows.
type entity struct {
	name   string
	fields []*cardField // the primary key is the first
	rows   []map[string]any
}

// cardField is one field of a card.
type cardField struct {
	name   string
	kind   kind
	null   bool
	broken bool // some rows hold what the card does not allow
	to     *entity
	by     string // of many: the field on the other side
}

type kind string

const (
	text    kind = "text"
	integer kind = "int"
	number  kind = "number"
	boolean kind = "bool"
	hue     kind = "hue"
	big     kind = "big"
	anyJSON kind = "any"
	words   kind = "words"
	grid    kind = "grid"
	place   kind = "place"
	one     kind = "one"
	many    kind = "many"
	ids     kind = "ids"
)

var plainKinds = []kind{text, integer, number, boolean, hue, big, anyJSON, words, grid, place}

// steady says whether the field may be sorted and filtered by: the rows hold what
// the card says, and the reference knows the order.
func (f *cardField) steady() bool {
	return !f.broken && (f.kind == text || f.kind == integer)
}

// relation is the name of the relation that the field holds.
func (f *cardField) relation() string {
	name, isList := strings.CutSuffix(f.name, "Ids")
	if isList {
		return name + "s"
	}
	return strings.TrimSuffix(name, "Id")
}

var entityNames = []string{"alder", "cedar", "maple"}

// newEntities makes up cards and rows.
func newEntities(r *rand.Rand) []*entity {
	var list []*entity
	for i := range 1 + r.IntN(len(entityNames)) {
		e := &entity{name: entityNames[i]}
		id := &cardField{name: "id", kind: text}
		if r.IntN(4) == 0 {
			id.kind = integer
		}
		e.fields = append(e.fields, id)
		for j := range 2 + r.IntN(4) {
			k := plainKinds[r.IntN(len(plainKinds))]
			e.fields = append(e.fields, &cardField{
				name: fmt.Sprintf("%s%d%s", e.name, j, k), kind: k, null: r.IntN(2) == 0, broken: r.IntN(4) == 0,
			})
		}
		list = append(list, e)
	}
	for _, e := range list {
		for j := range r.IntN(3) {
			to := list[r.IntN(len(list))]
			f := &cardField{name: fmt.Sprintf("%sOf%dId", e.name, j), kind: one, to: to, null: r.IntN(3) > 0}
			e.fields = append(e.fields, f)
			if r.IntN(3) > 0 {
				to.fields = append(to.fields, &cardField{name: fmt.Sprintf("%sBack%d", e.name, j), kind: many, to: e, by: f.name})
			}
		}
	}
	for _, e := range list {
		to := list[r.IntN(len(list))]
		pointsBack := false
		for _, f := range to.fields {
			pointsBack = pointsBack || f.kind == one && f.to == e || f.kind == ids && f.to == e && to != e // lists that face each other are refused
		}
		if !pointsBack && r.IntN(2) == 0 {
			e.fields = append(e.fields, &cardField{name: e.name + "TagIds", kind: ids, to: to})
		}
	}
	for _, e := range list {
		for i := range r.IntN(7) {
			e.rows = append(e.rows, map[string]any{"id": e.key(i)})
		}
	}
	for _, e := range list {
		for _, row := range e.rows {
			for _, f := range e.fields[1:] {
				if v := f.value(r); v != nil {
					row[f.name] = v
				}
			}
		}
	}
	return list
}

// key is the primary key of a row; one beyond the rows there are names nothing.
func (e *entity) key(i int) any {
	if e.fields[0].kind == integer {
		return 1 + i
	}
	return fmt.Sprintf("%s-%d", e.name, i)
}

// value makes up what stands in one row; nil is null.
func (f *cardField) value(r *rand.Rand) any {
	switch {
	case f.broken && r.IntN(4) == 0:
		return wrongs[r.IntN(len(wrongs))]
	case f.kind == many:
		return nil
	case f.kind == one:
		if len(f.to.rows) == 0 || f.null && r.IntN(3) == 0 {
			return nil
		}
		return f.to.rows[r.IntN(len(f.to.rows))]["id"]
	case f.kind == ids:
		list := []any{}
		for range r.IntN(4) {
			list = append(list, f.to.key(r.IntN(1+len(f.to.rows))))
		}
		return list
	case f.null && r.IntN(4) == 0:
		return nil
	}
	switch f.kind {
	case text:
		return texts[r.IntN(len(texts))]
	case integer:
		return r.IntN(9) - 3
	case number:
		return []float64{0, 1, -2.5, 1e21, 1e-9, 12345.678}[r.IntN(6)]
	case boolean:
		return r.IntN(2) == 0
	case hue:
		return hues[r.IntN(len(hues))]
	case big:
		return []int64{0, 1 << 40, -1 << 52}[r.IntN(3)]
	case anyJSON:
		return []any{1, "x", []any{nil, true}, map[string]any{"k": map[string]any{"é": 1.5}}}[r.IntN(4)]
	case words:
		return []any{"a", texts[r.IntN(len(texts))]}[:r.IntN(3)]
	case grid:
		return []any{[]any{1, nil}, []any{}, []any{r.IntN(9)}}[:r.IntN(4)]
	default:
		deep := map[string]any{"x": r.IntN(9)}
		if f.broken && r.IntN(3) == 0 {
			deep = map[string]any{}
		}
		return map[string]any{
			"a": texts[r.IntN(len(texts))], "b": []any{nil, 7}[r.IntN(2)], "deep": deep,
			"list": []any{map[string]any{"k": "v"}, map[string]any{"k": "w", "n": 3}}[:r.IntN(3)],
		}
	}
}

var (
	hues  = []string{"RED", "GREEN", "BLUE"}
	texts = []string{"", "a", "b", "zwei", "<&>", "é\"\\\n", "😀"}
	// wrongs are values that break the type of most fields.
	wrongs = []any{nil, "no", 7, 2.5, int64(1) << 33, true, "RED", []any{nil, "x", 1 << 33}, []any{[]any{"x"}, 3}, map[string]any{"a": 1}}
)

// card is the card of an entity as its author writes it.
func (e *entity) card() string {
	properties, required := map[string]any{}, []string{}
	for i, f := range e.fields {
		p := f.shape()
		kit := map[string]any{}
		role := map[string]any{}
		if i == 0 {
			role["primary"] = true
		}
		if f.to != nil {
			relation := map[string]any{"to": f.to.name, "kind": "one"}
			if f.kind != one {
				relation["kind"] = "many"
			}
			if f.by != "" {
				relation["by"] = f.by
			}
			role["relation"] = relation
		}
		if len(role) > 0 {
			kit["role"] = role
		}
		switch {
		case f.kind == many:
		case f.null || f.kind == ids:
			kit["lifecycle"] = map[string]any{"create": "optional"}
		default:
			required = append(required, f.name)
		}
		p["x-kit"] = kit
		properties[f.name] = p
	}
	return encode(map[string]any{"title": e.name, "type": "object", "properties": properties, "required": required, "x-kit-version": 1})
}

// shape is the JSON Schema of a field's values.
func (f *cardField) shape() map[string]any {
	p := map[string]any{}
	typ := "string"
	scalar := func(types ...string) map[string]any { return map[string]any{"type": types} }
	switch f.kind {
	case integer:
		typ = "integer"
	case big:
		typ, p["format"] = "integer", "int64"
	case number:
		typ = "number"
	case boolean:
		typ = "boolean"
	case hue:
		p["enum"] = hues
		if f.null {
			p["enum"] = append(append([]any{}, "RED", "GREEN", "BLUE"), nil)
		}
	case anyJSON:
		return p
	case words:
		typ, p["items"] = "array", map[string]any{"type": "string"}
	case grid:
		typ, p["items"] = "array", map[string]any{"type": "array", "items": scalar("integer", "null")}
	case place:
		typ = "object"
		p["properties"] = map[string]any{
			"a": map[string]any{"type": "string"}, "b": scalar("integer", "null"),
			"deep": map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "integer"}}, "required": []string{"x"}},
			"list": map[string]any{"type": "array", "items": map[string]any{
				"type":       "object",
				"properties": map[string]any{"k": map[string]any{"type": "string"}, "n": scalar("integer", "null")},
				"required":   []string{"k"},
			}},
		}
		p["required"] = []string{"a", "deep"}
	case many, ids:
		typ, p["items"] = "array", map[string]any{"type": "string"}
	case one:
		if f.to.fields[0].kind == integer {
			typ = "integer"
		}
	}
	if f.kind == ids && f.to.fields[0].kind == integer {
		p["items"] = map[string]any{"type": "integer"}
	}
	p["type"] = typ
	if f.null {
		p["type"] = []string{typ, "null"}
	}
	return p
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(text)
}
