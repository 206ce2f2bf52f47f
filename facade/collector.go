package facade

import (
	"context"

	"github.com/frondhost/frond/schema"
)

// Collector turns a caller's state into what one door shows (spec 1.3, DESIGN 6).
// It may be called from many goroutines.
type Collector interface {
	// Scope says what the caller may do and see. An error is the verdict: UNAUTHORIZED
	// or FORBIDDEN. A door without a collector is open.
	Scope(ctx context.Context, state State, door *Door, op *Operation) (Scope, error)
}

// Scope is what a caller may touch and see of one door. The zero value is all.
type Scope struct {
	Rows *Filter       // only these rows exist for the caller
	Hide []string      // these fields do not exist for the caller
	Set  schema.Object // stamped at creation; the caller cannot send them
}

// Readable says whether a field exists for the caller: boundary.out is open and
// no collector hides it. It decides select, filter, sort, cursor and error text.
func (s *Scope) Readable(p *schema.Property) bool {
	if !p.Readable() {
		return false
	}
	for _, h := range s.Hide {
		if h == p.Name {
			return false
		}
	}
	return true
}
