package rights

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema/jsontext"
)

const (
	// mostRecorded is the number of rows whose keys are recorded; of more rows their number is.
	mostRecorded = 10
	// mostTried is the number of rows of a door that calls are tried with.
	mostTried = 100
)

// Record returns an entry of a rights.yaml with the rights of a caller as they are now, over the doors of a Frond; nil for no check. Its
// checks pass: rows, hidden fields, and create, update and delete as far as a call without values can try
// them.
func Record(ctx context.Context, f *facade.Facade, frond string, as map[string]any) []byte {
	t := newTester(ctx, f)
	state, _ := json.Marshal(as) // it was read from JSON
	var visible, hidden, may, mayNot []string
	for door := range t.catalog.Doors() {
		if door.Frond.Name != frond || door.Entity == nil || door.Entity.Primary == nil {
			continue
		}
		t.of, t.state = &project.CallerRights{}, as
		if line := t.recordRows(door); line != "" {
			visible = append(visible, line)
		}
		var names []string
		for _, field := range door.FieldNames() {
			if r := t.hidden(door.Name, field); r.Verdict == Passed {
				names = append(names, field)
			}
		}
		denied := t.denied(Result{Verdict: Passed}, door).Verdict == Passed
		if len(names) > 0 && !denied {
			hidden = append(hidden, door.Name+": ["+strings.Join(names, ", ")+"]")
		}
		for _, op := range []string{"create", "update", "delete"} {
			can, cannot := t.recordCall(door, op)
			may, mayNot = append(may, can...), append(mayNot, cannot...)
		}
	}
	if len(visible)+len(hidden)+len(may)+len(mayNot) == 0 {
		return nil
	}
	out := fmt.Appendf(nil, "- as: %s\n", state)
	for _, part := range []struct {
		key, mark string
		lines     []string
	}{{"sees", "", visible}, {"hidden", "", hidden}, {"may", "- ", may}, {"mayNot", "- ", mayNot}} {
		if len(part.lines) > 0 {
			out = fmt.Appendf(out, "  %s:\n    %s%s\n", part.key, part.mark, strings.Join(part.lines, "\n    "+part.mark))
		}
	}
	return out
}

// recordRows returns the line of sees for a door; "" for a door whose check would be a fault.
func (t *tester) recordRows(door *catalog.Door) string {
	v := &project.VisibleRows{Door: door.Name, Denied: true}
	if t.visible(v).Verdict == Passed {
		return door.Name + ": denied"
	}
	if door.Operation("list") == nil {
		return ""
	}
	total, keys, a := t.list(door, mostTried)
	v.Denied, v.Count = false, total
	text := fmt.Sprint(total)
	if total > 0 && total <= mostRecorded && len(keys) > 0 {
		v.Keys = keys
		text = string(jsontext.AppendTexts(nil, keys))
	}
	if a.err != nil || t.visible(v).Verdict != Passed {
		return ""
	}
	return door.Name + ": " + text
}

// recordCall tries an operation with the keys of rows and no values. It returns the lines of may and mayNot for the first row with which
// it succeeds and the first one with which it is refused.
func (t *tester) recordCall(door *catalog.Door, op string) (may, mayNot []string) {
	if door.Operation(op) == nil {
		return nil, nil
	}
	keys := []json.RawMessage{nil} // create names no row
	if op != "create" {
		_, first, _ := t.list(door, mostTried)
		keys = append(first, t.someKeys(door)...)
	}
	for _, key := range keys {
		c := &project.Attempt{Entity: door.Name, Operation: op}
		var parts []string
		if key != nil {
			c.Params = json.RawMessage(`{"id":` + string(key) + `}`)
			parts = append(parts, "params: {id: "+string(key)+"}")
		}
		if op != "delete" {
			c.Body = json.RawMessage("{}")
			parts = append(parts, "body: {}")
		}
		line := door.Name + "." + op + ": {" + strings.Join(parts, ", ")
		switch a := t.try(callOf(c)); {
		case a.err == nil && !a.isEmpty():
			if may == nil {
				may = []string{line + "}"}
			}
		case isDenial(a.err):
			return may, append(mayNot, line+", code: "+string(a.err.Code)+"}")
		case mayNot == nil && (a.err == nil || a.err.Code == kiterror.NotFound):
			mayNot = []string{line + ", code: NOT_FOUND}"}
		}
		if may != nil && mayNot != nil {
			break
		}
	}
	return may, mayNot
}
