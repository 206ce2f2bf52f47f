package facade

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/schema"
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

// hidden reports whether the computed field does not exist for a caller with this scope.
func (p *presenter) hidden(scope *Scope) bool {
	if scope.hides(p.Name) {
		return true
	}
	for _, input := range p.inputs {
		if !scope.Readable(input) {
			return true
		}
	}
	return false
}

// needs reports whether the presenter names the field.
func (p *presenter) needs(field *schema.Property) bool { return slices.Contains(p.Needs, field.Name) }

// run calls the presenter. A panic is an error like any other.
func (p *presenter) run(ctx context.Context, rows []Row) (values []json.RawMessage, err error) {
	var res *Result
	defer rescue(&res, &err)
	return p.fn(ctx, rows)
}
