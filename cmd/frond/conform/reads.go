package conform

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// reads are the clauses about list, findById and findByIds.
var reads = []clause{
	{ID: "list", Number: "2.7", Text: "a list is {items, total, hasMore, endCursor}", Without: "makes a page of a bare array, and cuts it", try: perDoor(func(t *trial) {
		if t.door.op("list") == nil {
			t.skip("")
			return
		}
		text := t.result(t.call("list", t.page("")))
		t.door.sent, t.door.got = t.host.sent, t.host.got
		switch {
		case text == nil:
		case jsontext.KindOf(text) == jsontext.Array:
			t.door.rows = jsontext.List(text)
			t.fail("the result is a bare array")
		case jsontext.KindOf(jsontext.Get(text, "items")) != jsontext.Array:
			t.fail("items is %s", orAbsent(jsontext.Get(text, "items")))
		default:
			t.door.rows = jsontext.List(jsontext.Get(text, "items"))
			if _, whole := schema.Integer(jsontext.Get(text, "total")); !whole {
				t.fail("total is %s, and has to be an integer", orAbsent(jsontext.Get(text, "total")))
			}
			if k := jsontext.KindOf(jsontext.Get(text, "hasMore")); k != jsontext.True && k != jsontext.False {
				t.fail("hasMore is %s, and has to be true or false", orAbsent(jsontext.Get(text, "hasMore")))
			}
			if jsontext.Get(text, "endCursor") == nil {
				t.fail("endCursor is absent; write null if there is none")
			}
		}
	})},
	{ID: "limit", Number: "2.7", Text: "a list has at most as many rows as limit says", Without: "cuts the answer", try: listed(func(t *trial) {
		if n := len(itemsOf(t.result(t.call("list", `{"query":{"limit":1}}`)))); n > 1 {
			t.fail("limit 1 has %d rows", n)
		}
	})},
	{ID: "rows", Number: "2.3", Text: "rows have the fields of the card: their types, no null where the card has none, no required field missing", Without: "answers BAD_GATEWAY for a wrong type, and an error in GraphQL for a missing field", try: listed(func(t *trial) {
		if t.door.here == nil || t.door.here.Entity == nil {
			t.skip("")
			return
		}
		for _, row := range t.door.rows {
			if why := misfit(t.door.here.Entity, row); why != "" {
				t.fail("%s in %s", why, cut(string(row)))
				return
			}
		}
	})},
	{ID: "filter", Number: "2.5", Text: "filter of the list leaves out the rows that do not meet it: eq and in", Without: "offers no filter, and no relation to many rows of the door", try: probed("the input card of list has no filter", func(t *trial, name, value string) {
		t.filtered(name, json.RawMessage(value), fmt.Sprintf(`{%s:{"eq":%s}}`, jsontext.Quote(name), value))
	})},
	{ID: "in", Number: "2.5", Text: "filter takes in, for several keys at once", Without: "answers conditions through relations to the door with the host's refusal", try: probed("", func(t *trial, name, value string) {
		f := fmt.Sprintf(`{%s:{"in":[%s]}}`, jsontext.Quote(name), value)
		if a := t.call("list", t.page(`"filter":`+f)); a.Error != nil && !a.denied() {
			t.absent("the host refuses in")
			return
		}
		t.filtered(name, json.RawMessage(value), f)
	})},
	{ID: "sort", Number: "2.5", Text: "sort of the list orders the rows, with - in front backward", Without: "offers no order", try: listed(func(t *trial) {
		key := t.door.primary()
		if !t.door.takes("sort") || key == "" {
			t.absent("the input card of list has no sort")
			return
		}
		form := func(name string) string {
			if catalog.SortForm(t.door.op("list").Input) == "array" {
				return `["` + name + `"]`
			}
			return `"` + name + `"`
		}
		var keys [2][]string
		for i, name := range []string{key, "-" + key} {
			text := t.result(t.call("list", t.page(`"sort":`+form(name))))
			if text == nil {
				return
			}
			if string(jsontext.Get(text, "hasMore")) == "true" {
				t.skip("the door has too many rows to compare both ends")
				return
			}
			for _, row := range itemsOf(text) {
				keys[i] = append(keys[i], string(jsontext.Get(row, key)))
			}
		}
		if slices.Reverse(keys[1]); !slices.Equal(keys[0], keys[1]) {
			t.fail("sort %s and -%[1]s are not each other's reverse", key)
		}
	})},
	{ID: "cursors", Number: "2.7", Text: "endCursor, sent as after, leads on: each row comes once", Without: "makes cursors of offsets if the list takes offset, else offers no next page", try: listed(walk)},
	{ID: "findById", Number: "2.6", Text: "findById gives the row, and null for an unknown id", Without: "offers no relation to the door", try: keyed("findById", func(t *trial, key string, ids []json.RawMessage) {
		if row := t.result(t.call("findById", `{"params":{"id":`+string(ids[0])+`}}`)); row != nil && !equal(jsontext.Get(row, key), ids[0]) {
			t.fail("the row has %s %s", key, orAbsent(jsontext.Get(row, key)))
		}
		if text, ok := unknownID(ids[0]); ok && t.verdict == passed {
			a := t.call("findById", `{"params":{"id":`+text+`}}`)
			if a.Error != nil && jsontext.Unquote(jsontext.Get(a.Error.Data, "code")) != "NOT_FOUND" || a.Error == nil && !jsontext.IsNull(a.Result) && a.Result != nil {
				t.fail("an unknown id gives neither null nor NOT_FOUND")
			}
		}
	})},
	{ID: "findByIds", Number: "2.5", Text: "findByIds gives the rows of its ids and no others", Without: "sends a batch of findById, or single calls", try: keyed("findByIds", func(t *trial, key string, ids []json.RawMessage) {
		asked := ids[:min(len(ids), 3)]
		text := t.result(t.call("findByIds", `{"query":{"ids":`+string(jsontext.AppendTexts(nil, asked))+`}}`))
		if text == nil {
			return
		}
		got := 0
		for _, row := range itemsOf(text) {
			if jsontext.IsNull(row) {
				continue
			}
			if got++; !slices.ContainsFunc(asked, func(id json.RawMessage) bool { return equal(id, jsontext.Get(row, key)) }) {
				t.fail("a row with %s %s was not asked for", key, orAbsent(jsontext.Get(row, key)))
			}
		}
		if got != len(asked) {
			t.fail("%d ids have %d rows", len(asked), got)
		}
	})},
}

// filtered lists by a filter that a row with a value meets.
func (t *trial) filtered(name string, value json.RawMessage, f string) {
	text := t.result(t.call("list", t.page(`"filter":`+f)))
	if text == nil {
		return
	}
	found := itemsOf(text)
	if len(found) == 0 {
		t.fail("no row meets %s, and one has that value", f)
	}
	for _, row := range found {
		if !equal(jsontext.Get(row, name), value) {
			t.fail("a row with %s %s meets %s", name, orAbsent(jsontext.Get(row, name)), f)
		}
	}
}

// page is the invocation of a list with as many rows as the card of its limit allows, 50 at most.
func (t *trial) page(more string) string {
	limit := int64(50)
	if op := t.door.op("list"); op != nil && op.Input != nil && op.Input.Field("limit") != nil {
		if most, ok := schema.Integer(jsontext.Get(op.Input.Field("limit").Shape.AppendJSON(nil), "maximum")); ok {
			limit = min(limit, most)
		}
	}
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"query":{"limit":%d%s}}`, limit, more)
}

// listed tries a clause for each door with an answered list.
func listed(try func(*trial)) func(*trial) {
	return perDoor(func(t *trial) {
		if t.door.op("list") == nil || t.door.rows == nil {
			t.skip("")
			return
		}
		t.host.sent, t.host.got = t.door.sent, t.door.got
		try(t)
	})
}

// probed tries a clause about the filter of each list, by a value that a row has. without is the verdict on a list without a filter;
// "": another clause has it.
func probed(without string, try func(t *trial, name, value string)) func(*trial) {
	return listed(func(t *trial) {
		name, value, ok := "", "", false
		if t.door.takes("filter") {
			name, value, ok = t.probe()
		}
		switch {
		case ok:
			try(t, name, value)
		case t.door.takes("filter"):
			t.skip("there is no row to ask for")
		case without != "":
			t.absent("%s", without)
		default:
			t.skip("")
		}
	})
}

// keyed tries a clause about the keys of rows of each door.
func keyed(operation string, try func(*trial, string, []json.RawMessage)) func(*trial) {
	return perDoor(func(t *trial) {
		key := t.door.primary()
		var ids []json.RawMessage
		for _, row := range t.door.rows {
			if id := jsontext.Get(row, key); id != nil && key != "" {
				ids = append(ids, id)
			}
		}
		switch {
		case key == "":
			t.skip("")
		case t.door.op(operation) == nil:
			t.absent("the door has no %s", operation)
		case len(ids) == 0:
			t.skip("there is no row to ask for")
		default:
			try(t, key, ids)
		}
	})
}

// walk pages through a list, two rows at a time.
func walk(t *trial) {
	key := t.door.primary()
	switch {
	case !t.door.takes("after"):
		t.absent("the input card of list has no after")
		return
	case key == "" || len(t.door.rows) < 2:
		t.skip("there are not enough rows for two pages")
		return
	}
	seen, cursor, total := map[string]bool{}, "", int64(-1)
	for range 250 {
		query := `{"query":{"limit":2}}`
		if cursor != "" {
			query = `{"query":{"limit":2,"after":` + cursor + `}}`
		}
		text := t.result(t.call("list", query))
		if text == nil {
			return
		}
		if total < 0 {
			total, _ = schema.Integer(jsontext.Get(text, "total"))
		}
		for _, row := range itemsOf(text) {
			id := string(jsontext.Get(row, key))
			if seen[id] {
				t.fail("the row %s comes twice", id)
				return
			}
			seen[id] = true
		}
		if string(jsontext.Get(text, "hasMore")) != "true" {
			if total >= 0 && int64(len(seen)) != total {
				t.fail("the pages have %d rows together, and total is %d", len(seen), total)
			}
			return
		}
		if cursor = string(jsontext.Get(text, "endCursor")); cursor == "" || cursor == "null" {
			t.fail("hasMore is true, and endCursor is %s", orAbsent(jsontext.Get(text, "endCursor")))
			return
		}
	}
}

// probe is a text field of the card that callers filter by, with its value in a row.
func (t *trial) probe() (name, value string, ok bool) {
	names := []string{t.door.primary()}
	if f := t.door.op("list").Input.Field("filter"); len(f.Shape.Properties) > 0 {
		names = nil
		for _, of := range f.Shape.Properties {
			names = append(names, of.Name)
		}
	}
	for _, name := range names {
		if t.door.here == nil || t.door.here.Entity == nil {
			break
		}
		if p := t.door.here.Entity.Property(name); p == nil || !p.Stored || p.Shape.Type != "string" && p.Shape.Type != "integer" {
			continue
		}
		for _, row := range t.door.rows {
			if v := jsontext.Get(row, name); v != nil && !jsontext.IsNull(v) {
				return name, string(v), true
			}
		}
	}
	return "", "", false
}

// misfit says why a row does not conform to a card.
func misfit(e *schema.Entity, row json.RawMessage) string {
	if jsontext.KindOf(row) != jsontext.Object {
		return "a row is no object"
	}
	_, details := e.Judge(schema.Plain, row, "")
	for _, d := range details {
		p := e.Property(strings.SplitN(d.Path, ".", 2)[0])
		if d.Code == schema.UnknownKey || d.Code == "required" && (p == nil || !p.Readable() || !p.Stored) {
			continue // computed fields, and fields that are closed outward
		}
		return d.Path + " " + d.Message
	}
	return ""
}

// itemsOf are the rows of a list or of a bare array.
func itemsOf(text json.RawMessage) []json.RawMessage {
	if jsontext.KindOf(text) == jsontext.Object {
		text = jsontext.Get(text, "items")
	}
	return jsontext.List(text)
}

// equal reports whether two values are equal, however they are written.
func equal(a, b json.RawMessage) bool {
	var x, y any
	return a != nil && b != nil && json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// unknownID is an id of the same kind that no row has.
func unknownID(id json.RawMessage) (text string, ok bool) {
	if jsontext.KindOf(id) == jsontext.String && len(id) < 30 {
		return `"conform-unknown"`, true
	}
	return "", false
}
