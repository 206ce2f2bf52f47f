package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// SchemaChanges declares the changes of cards that a store cannot derive from them: new names
// of entities and fields, and values for rows that are older than a field.
type SchemaChanges struct {
	Renamed []Renamed
	// Elsewhere are the renames of Fronds whose rows other hosts keep.
	Elsewhere []Renamed
	// Gone are entities and fields that have no new name, with To "".
	Gone   []Renamed
	Values []*Backfill
	// Newest says that the cards of a project under development are the newest ones, even if the store has seen
	// them before others.
	Newest bool
}

// Renamed is one rename. Entities are keys (schema.EntityKey); the fields are "" where an
// entity is renamed. Entity is then its old key; else it is the key of the field's entity now.
type Renamed struct {
	Entity, Field string
	To            string // the new key, or the new field
}

// Backfill computes a field of a row from the row as it was.
type Backfill struct {
	Entity *schema.Entity
	Field  *schema.Property
	// Text is the expression as its author wrote it; "" for a conversion of the value itself.
	Text string
	// Reads are the fields of the older row that it reads, by the names they have there.
	Reads []string

	compute func(given func(name string) json.RawMessage) (json.RawMessage, error)
}

// NewBackfill is a Backfill by an expression.
func NewBackfill(e *schema.Entity, p *schema.Property, text string, reads []string, compute func(given func(name string) json.RawMessage) (json.RawMessage, error)) *Backfill {
	return &Backfill{Entity: e, Field: p, Text: text, Reads: reads, compute: compute}
}

// NewConversion is a Backfill that makes a field's value of the one that it has: convert
// returns false for a value that it cannot convert, which is an error of Compute. convert
// is not called for null.
func NewConversion(e *schema.Entity, p *schema.Property, convert func(json.RawMessage) (json.RawMessage, bool)) *Backfill {
	return &Backfill{Entity: e, Field: p, Reads: []string{p.Name}, compute: func(given func(string) json.RawMessage) (json.RawMessage, error) {
		value := given(p.Name)
		if value == nil || jsontext.IsNull(value) {
			return json.RawMessage("null"), nil
		}
		text, ok := convert(value)
		if !ok {
			return nil, errors.New("the value cannot be converted")
		}
		return text, nil
	}}
}

// Compute returns the field's value for a row, judged against the card. given returns a field
// of the row as JSON, or nil for null. The value is null where an input is null and the
// expression has no result. It may be called from many goroutines.
func (b *Backfill) Compute(given func(name string) json.RawMessage) (json.RawMessage, error) {
	text, err := b.compute(given)
	if err != nil {
		return nil, err
	}
	return text, b.judge(text)
}

// judge judges a value against the field's card. Null is the store's to judge, which knows
// whether its column takes it; the card does not describe the stored form of a conversion.
func (b *Backfill) judge(text json.RawMessage) error {
	if jsontext.IsNull(text) || b.Field.Axes.In.Name != "" {
		return nil
	}
	object := append(append(jsontext.AppendName([]byte{'{'}, b.Field.Name), text...), '}')
	_, details := b.Entity.Judge(schema.Plain, object, "")
	for _, d := range details {
		if d.Path == b.Field.Name || strings.HasPrefix(d.Path, b.Field.Name+".") {
			return fmt.Errorf("the card refuses the value: %s %s", d.Path, d.Message)
		}
	}
	return nil
}

// Now returns the names that an entity and its field have today. entity is a key.
func (c *SchemaChanges) Now(entity, field string) (nowEntity, nowField string) {
	all := slices.Concat(c.Renamed, c.Elsewhere)
	for range all {
		for _, r := range all {
			switch {
			case r.Field == "" && r.Entity == entity:
				entity = r.To
			case r.Field != "" && r.Field == field && r.Entity == entity:
				field = r.To
			}
		}
	}
	return entity, field
}

// formerNames returns the former names of the fields of an entity. The compiler has refused
// circles.
func (c *SchemaChanges) formerNames(entity string) (all FormerNames) {
	next := map[string]string{}
	for _, r := range c.Renamed {
		if r.Entity == entity && r.Field != "" {
			next[r.Field] = r.To
		}
	}
	for _, r := range c.Renamed {
		if r.Entity != entity || r.Field == "" {
			continue
		}
		is := r.To
		for next[is] != "" {
			is = next[is]
		}
		all = append(all, formerName{r.Field, is})
	}
	return all
}
