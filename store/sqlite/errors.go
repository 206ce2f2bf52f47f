package sqlite

import (
	"errors"
	"fmt"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// constraint returns the caller's error for a broken constraint; any other error is returned
// as it is. all are the tables that a cascade may have touched.
//
//	UNIQUE, the primary key included          CONFLICT with the fields (facade.Taken)
//	NOT NULL and CHECK of the written table   VALIDATION_FAILED with the card's keyword
//	NOT NULL of another table                 CONFLICT: the row is in use (facade.InUse)
//
// A foreign key is not among them: it is judged when the write is done (see
// [Store.blameWrite]).
func constraint(all *tables, t *table, record facade.Record, err error) error {
	if !errors.Is(err, sqlite3.CONSTRAINT) {
		return err
	}
	// The library keeps the message among other words: "sqlite3: constraint failed: <message>".
	_, message, _ := strings.Cut(err.Error(), "constraint failed: ")
	// SQLite gives no code for the constraint but its message, which names table and columns;
	// listViolations made the messages beforehand.
	v, ok := t.violations[message]
	if !ok {
		for _, other := range all.byKey {
			if v, ok = other.violations[message]; ok {
				break
			}
		}
	}
	switch {
	case !ok:
		return err
	case v.unique != nil:
		return facade.Taken(v.unique...)
	case v.field.Owner != t.entity:
		// onDelete: set null met a field that takes no null: the row is held by it.
		return facade.InUse(v.field)
	}
	return refuse(v.field, v.keyword)
}

// refuse returns VALIDATION_FAILED for one field of what is written, with one detail whose
// code is keyword. The judge has found most of this before; what arrives here came from a
// handler, a conversion or another program's rows.
func refuse(p *schema.Property, keyword string) error {
	message := fmt.Sprintf("the value of %s breaks its card's %s; send one that keeps to it", p.Name, keyword)
	switch keyword {
	case "required":
		message = fmt.Sprintf("%s has no value; send one", p.Name)
	case "type":
		message = fmt.Sprintf("%s holds a value of another type than its card says; send %s", p.Name, kindWord(p.Kind))
	case "format":
		example := "2006-01-02T15:04:05Z"
		if p.Kind == schema.KindDecimal {
			example = "19.90"
		}
		message = fmt.Sprintf("%s is not a %s; send one such as %s", p.Name, p.Shape.Format, example)
	}
	return facade.Invalid(message, schema.Detail{
		Path: p.Name, Pointer: "/body/" + jsontext.Token(p.Name), Code: keyword, Message: message,
	})
}

// kindWord says in a message what to send for a kind.
func kindWord(k schema.Kind) string {
	switch k {
	case schema.KindString, schema.KindDecimal:
		return "a string"
	case schema.KindDateTime, schema.KindDate:
		return "a string with a date"
	case schema.KindInteger:
		return "an integer between -2^63 and 2^63-1"
	case schema.KindNumber:
		return "a number"
	case schema.KindBoolean:
		return "true or false"
	}
	return "JSON"
}
