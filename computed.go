package frond

import (
	"context"
	"fmt"
	"reflect"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/rows"
)

// About is something that is said about a computed field: [Described], [Needing].
type About func(*aboutField)

type aboutField struct {
	description string
	needs       []string
}

// Described is the description of a computed field in GraphQL and in discovery.
func Described(text string) About { return func(a *aboutField) { a.description = text } }

// Needing says which fields of the row a computed field needs; the others are zero unless
// something else in the answer needs them. Without it every field of the struct is read.
func Needing(fields ...string) About { return func(a *aboutField) { a.needs = fields } }

// Computed adds a field to the rows of a door, on every surface. fn gets the row with the
// stored values, for any reader, and is called only for requests of the field. V is a type with
// a JSON Schema: numbers, texts, booleans, times, and structs, slices, maps and pointers of
// such; it is the type of the field in GraphQL. A panic of fn is the error of the field. fn is
// called from many goroutines.
func Computed[T, V any](d *DoorOf[T], name string, fn func(row T) V, about ...About) {
	ComputedMany(d, name, func(_ context.Context, rows []T) ([]V, error) {
		values := make([]V, len(rows))
		for i := range rows {
			values[i] = fn(rows[i])
		}
		return values, nil
	}, about...)
}

// ComputedMany is [Computed] for a function that makes the field of all rows of an answer at
// once, as one that asks another service does. It returns one value for each row. Its error
// fails the field alone: GraphQL answers the rows without it.
func ComputedMany[T, V any](d *DoorOf[T], name string, fn func(ctx context.Context, rows []T) ([]V, error), about ...About) {
	var a aboutField
	for _, say := range about {
		say(&a)
	}
	shape, err := shapeOf(reflect.TypeFor[V]())
	if err != nil {
		d.app.fault(fmt.Sprintf("the computed field %s.%s cannot have this type: %v", d.name, name, err), "return a type made of numbers, texts, booleans, times, structs, slices and maps")
		return
	}
	shape.Description = a.description
	facade.Present(d.ref, name, shape, func(ctx context.Context, found []rows.Row) ([]V, error) {
		values := make([]T, len(found))
		for i, row := range found {
			if err := d.row.decode(row, reflect.ValueOf(&values[i]).Elem()); err != nil {
				return nil, err
			}
		}
		return fn(d.enter(ctx), values)
	}, d.needs(a.needs)...)
}

// needs are the fields that are read for a computed field, as the card spells them.
func (d *door) needs(named []string) []string {
	needs := []string{}
	for _, name := range named {
		if as := matching(d.card.names, name); as != "" {
			name = as
		}
		needs = append(needs, name)
	}
	if named == nil {
		return append(needs, d.row.selected...)
	}
	return needs
}
