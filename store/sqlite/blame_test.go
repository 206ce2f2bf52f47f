package sqlite_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite"
)

// TestWhatHoldsARow: a refused removal names the relation that stands in its way,
// and one that would go along only where nothing nearer does.
func TestWhatHoldsARow(t *testing.T) {
	one := func(to, onDelete string) string {
		return "type: string, x-kit: {role: {relation: {to: " + to + ", kind: one, onDelete: " + onDelete + "}}}"
	}
	set := compile(
		t,
		"house", card(),
		"aroom", card("houseId: "+one("house", "cascade")),
		"lamp", card("roomId: "+one("aroom", "restrict")),
		"lease", card("houseId: "+one("house", "restrict")),
		"visit", card("houseId: type: string, x-kit: {role: {relation: {to: house, kind: one}}}"),
	)
	store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	insert := func(entity, id, field, of string) {
		record := facade.Record{{Name: "id", Value: json.RawMessage(`"` + id + `"`)}}
		if field != "" {
			record = append(record, schema.Member{Name: field, Value: json.RawMessage(`"` + of + `"`)})
		}
		if _, err := store.Insert(t.Context(), set.Entity(entity), []facade.Record{record}, nil, rows.NewLayout(nil)); err != nil {
			t.Fatal(err)
		}
	}
	insert("house", "h1", "", "")
	insert("aroom", "r1", "houseId", "h1")
	insert("lamp", "l1", "roomId", "r1")
	insert("lease", "c1", "houseId", "h1")
	remove := func(entity, id string) string {
		_, err := store.Delete(t.Context(), set.Entity(entity), json.RawMessage(`"`+id+`"`), nil, nil)
		var refused *kiterror.Error
		if !errors.As(err, &refused) {
			return ""
		}
		return string(refused.Code) + " " + refused.Message
	}
	// The rooms of h1 would go with it; the lease would not.
	if got, want := remove("house", "h1"), "CONFLICT the row is still pointed at by rows of lease, in houseId; remove or change them first"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := remove("lease", "c1"); got != "" {
		t.Error(got)
	}
	// Now the lamp holds its room, which would go along with the house; and the house with another.
	held := "CONFLICT the row is still pointed at by rows of lamp, in roomId; remove or change them first"
	if got := remove("house", "h1"); got != held {
		t.Errorf("%q, want %q", got, held)
	}
	insert("house", "h2", "", "")
	for _, ids := range [][]string{{"h1", "h2"}, {"h2", "h1"}} {
		_, err := store.WriteAll(t.Context(), set.Entity("house"), []json.RawMessage{json.RawMessage(`"` + ids[0] + `"`), json.RawMessage(`"` + ids[1] + `"`)}, nil, nil, nil)
		if got := fmt.Sprint(err); kiterror.CodeOf(err) != kiterror.Conflict || !strings.Contains(got, "rows of lamp, in roomId") {
			t.Errorf("%v: %s", ids, got)
		}
	}
	// Without an action the lease is judged when the write is done.
	insert("visit", "v1", "houseId", "h2")
	_, err = store.WriteAll(t.Context(), set.Entity("house"), []json.RawMessage{json.RawMessage(`"h2"`)}, nil, nil, nil)
	if got := fmt.Sprint(err); kiterror.CodeOf(err) != kiterror.Conflict || !strings.Contains(got, "rows of visit, in houseId") {
		t.Errorf("a visit: %s", got)
	}
	if got := remove("visit", "v1") + remove("lamp", "l1") + remove("house", "h1"); got != "" {
		t.Error(got)
	}
}

// TestRowsHaveKeys: SQLite would make a key up where an integer one is missing.
func TestRowsHaveKeys(t *testing.T) {
	set := compile(t, "tag", "type: object\nproperties:\n  id: {type: integer, x-kit: {role: {primary: true}}}\n  label: {type: [string, 'null']}\nrequired: [id, label]\n")
	store, err := sqlite.Open(t.Context(), sqlite.Options{Memory: true, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = store.Close() }()
	if err := store.Prepare(t.Context(), set.Entities); err != nil {
		t.Fatal(err)
	}
	for _, record := range []facade.Record{nil, {{Name: "label", Value: json.RawMessage(`"x"`)}}, {{Name: "id", Value: json.RawMessage(`null`)}}} {
		found, err := store.Insert(t.Context(), set.Entity("tag"), []facade.Record{record}, nil, rows.NewLayout([]string{"id"}))
		if kiterror.CodeOf(err) != kiterror.ValidationFailed {
			t.Errorf("%v: %v, %v", record, found, err)
		}
	}
}
