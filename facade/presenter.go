package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// presenter is a computed field with the function that makes it.
type presenter struct {
	Computed
	fn func(ctx context.Context, rows []Row) ([]json.RawMessage, error)
	// inputs are the fields an expression reads: where the caller may not read one of
	// them, they may not read what is made of it. Go code answers for itself.
	inputs []*schema.Property
	// elsewhere: the remote makes it, with its rows. fn then says what is made of a
	// row that came without it.
	elsewhere bool
}

// hidden says whether the computed field does not exist for a caller who sees see.
func (p *presenter) hidden(see *Scope) bool {
	if see.hides(p.Name) {
		return true
	}
	for _, input := range p.inputs {
		if !see.Readable(input) {
			return true
		}
	}
	return false
}

func (p *presenter) needs(field *schema.Property) bool { return slices.Contains(p.Needs, field.Name) }

// run runs the presenter; a panic is a failure like any other.
func (p *presenter) run(ctx context.Context, rows []Row) (values []json.RawMessage, err error) {
	var res *Result
	defer rescue(&res, &err)
	return p.fn(ctx, rows)
}

// Present adds a computed field to the rows of a door (spec 4.3.2). fn is given
// all rows of an answer at once, of a page or of a whole batch, and answers one
// value for each of them; it runs only where the field is asked for. The rows hold
// what the caller may read; with needs they hold the fields needs names, whoever
// is asking, and only those are sure to be there. A value is marshalled to JSON.
//
// A failure is INTERNAL_ERROR and names the field where it is logged; see
// [Call].Partial. The name must not be one of the card's.
func Present[T any](door DoorRef, name string, shape schema.Shape, fn func(ctx context.Context, rows []Row) ([]T, error), needs ...string) {
	door.present(&presenter{
		Computed: Computed{Name: name, Shape: shape, Description: shape.Description, Needs: needs},
		fn: func(ctx context.Context, rows []Row) ([]json.RawMessage, error) {
			values, err := fn(ctx, rows)
			if err != nil {
				return nil, err
			}
			texts := make([]json.RawMessage, len(values))
			for i, v := range values {
				if texts[i], err = jsontext.Marshal(v); err != nil {
					return nil, err
				}
			}
			return texts, nil
		},
	})
}
