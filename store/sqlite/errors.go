package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	sqlite3 "github.com/ncruces/go-sqlite3"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

var (
	errClosed     = errors.New("the store is closed")
	errLost       = errors.New("the store's file is not the one that was opened")
	errForeignKey = errors.New("a foreign key is left broken")
)

// explain is err as it leaves the store: what the façade can tell a caller keeps
// its code, the end of ctx is ctx's own error, everything else is INTERNAL_ERROR
// around a cause that stays in the process.
func explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var known *facade.Error
	switch {
	case errors.As(err, &known):
		return err
	case ctx.Err() != nil && (errors.Is(err, sqlite3.INTERRUPT) || errors.Is(err, ctx.Err())):
		return ctx.Err()
	case errors.Is(err, sqlite3.BUSY), errors.Is(err, errClosed), errors.Is(err, errLost), diskFailure(err):
		return unavailable(err)
	}
	return facade.Internal(fmt.Errorf("sqlite: %w", err))
}

func unavailable(err error) error {
	return facade.Errorf(facade.ServiceUnavailable, "the store cannot be reached just now; try again%w", hidden{err})
}

// tooDeep is for a filter SQLite cannot take: each relation and each negation
// makes an expression deeper, and there is an end to that.
func tooDeep() error {
	return facade.Errorf(facade.BadRequest, "the filter is nested too deep; go through %d relations at most", maxRelations)
}

// violation is what one constraint means to who wrote: the message SQLite names
// it by leads to it, and that text goes no further.
type violation struct {
	unique  []*schema.Property // of a unique constraint or a primary key
	field   *schema.Property   // of the others
	keyword string             // of a check: the card's keyword
}

// constraint turns a broken constraint into what the caller is told; every other
// error comes back as it is. all are the tables a cascade may have touched.
func constraint(all *tables, t *table, record facade.Record, err error) error {
	if !errors.Is(err, sqlite3.CONSTRAINT) {
		return err
	}
	// The library keeps the message among other words: "sqlite3: constraint failed: <message>".
	_, message, _ := strings.Cut(err.Error(), "constraint failed: ")
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

// refuse is VALIDATION_FAILED for one field of what is written. The judge says
// most of this first; what gets here came from a handler or a conversion.
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

// isForeignKey says whether err is about a foreign key: the one a write left
// behind, or an onDelete that restricts at once.
func isForeignKey(err error) bool {
	return errors.Is(err, errForeignKey) ||
		errors.Is(err, sqlite3.CONSTRAINT) && strings.HasSuffix(err.Error(), "FOREIGN KEY constraint failed")
}
