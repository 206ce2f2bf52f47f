package access

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"

	"github.com/frondhost/frond/schema"
)

// Presenter is a computed field with the function that makes it.
type Presenter struct {
	catalog.Computed
	Fn func(ctx context.Context, found []rows.Row) ([]json.RawMessage, error)
	// Headline says that the field shows the part of the Inputs with the words of a search. Fn is nil.
	Headline bool
	// Elsewhere: the remote makes it, with its rows. fn then computes the field of a
	// row that came without it.
	Elsewhere bool
}

// Hidden reports whether the computed field does not exist for a caller with this scope.
func (p *Presenter) Hidden(scope *Scope) bool {
	if scope.Hides(p.Name) {
		return true
	}
	for _, input := range p.Inputs {
		if !scope.Readable(input) {
			return true
		}
	}
	return false
}

// Reads reports whether the presenter names the field.
func (p *Presenter) Reads(field *schema.Property) bool { return slices.Contains(p.Needs, field.Name) }

// Run calls the presenter. A panic is an error like any other.
func (p *Presenter) Run(ctx context.Context, found []rows.Row) (values []json.RawMessage, err error) {
	defer func() {
		if v := recover(); v != nil {
			values, err = nil, kiterror.Panicked(v)
		}
	}()
	return p.Fn(ctx, found)
}
