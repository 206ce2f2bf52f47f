package facade

import (
	"context"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
)

// find is the first step: the operation behind entity.op.
func (t *trip) find(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.state = t.call.Invocation.State
	if s := stationOf(ctx); s != nil {
		if t.depth, t.inside, t.lent, t.within = s.depth+1, s.inside, s.lent, s.op; t.depth > maxDepth {
			return kiterror.Errorf(kiterror.InternalError, "more than %d calls stand within each other; do handlers call each other in a circle?", maxDepth)
		}
	}
	if t.state == nil {
		t.state = StateFrom(ctx)
	}
	door, op := t.facade.catalog.find(t.call.Entity, t.call.Operation)
	if op == nil {
		return t.facade.missing(ctx, t.facade.catalog, t.call, t.inside)
	}
	t.door, t.op = door, op
	return nil
}

func (c *Catalog) find(entity, operation string) (*Door, *Operation) {
	door := c.Door(entity)
	if door == nil {
		return nil, nil
	}
	return door, door.Operation(operation)
}

// missing is NOT_FOUND for what a view does not show. It names what is served there to this
// caller: an operation that a collector refuses them is left out (decision 210).
func (f *Facade) missing(ctx context.Context, view *Catalog, c *Call, inside bool) *kiterror.Error {
	state := c.Invocation.State
	if state == nil {
		state = StateFrom(ctx)
	}
	may := func(op *Operation) bool {
		if inside || op.Door.collector == nil {
			return true
		}
		_, err := op.Door.collector.Scope(ctx, state, op.Door, op)
		return err == nil
	}
	var names []string
	if door := view.Door(c.Entity); door != nil {
		for _, op := range door.Operations {
			if may(op) {
				names = append(names, op.Name)
			}
		}
		return kiterror.Errorf(kiterror.NotFound, "%s has no operation called %s%s", door.Name, shown(c.Operation), served(c.Operation, names, f.suggest))
	}
	for _, frond := range view.Fronds {
		for _, door := range frond.Doors {
			if len(names) <= maxShown && slices.ContainsFunc(door.Operations, may) {
				names = append(names, door.Name)
			}
		}
	}
	return kiterror.Errorf(kiterror.NotFound, "no entity is called %s here%s", shown(c.Entity), served(c.Entity, names, f.suggest))
}

// maxShown is how many names a message lists, and how many letters of a name it repeats.
const (
	maxShown   = 20
	maxLetters = 60
)

// shown is a name as a message repeats it: short, and without what is no letter.
func shown(name string) string {
	if name == "" {
		return `""`
	}
	if len(name) > maxLetters {
		name = name[:maxLetters] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0xfffd {
			return '?'
		}
		return r
	}, name)
}

// suggests says whether a mistake is answered with names: in development, and to authors.
func (t *trip) suggests() bool { return t.facade == nil || t.facade.suggest }

// instead ends a message about a field that does not exist for the caller. In production
// it names none that do.
func (t *trip) instead(name string, names func() []string) string {
	if !t.suggests() {
		return "; leave it out"
	}
	return served(name, names(), true)
}

// served ends a message with what there is instead of name.
func served(name string, names []string, suggest bool) string {
	if len(names) == 0 {
		return "; there is nothing"
	}
	var b strings.Builder
	if near := nearest(name, names); suggest && near != "" {
		b.WriteString("; did you mean " + near + "?")
	}
	b.WriteString("; there is ")
	b.WriteString(strings.Join(names[:min(len(names), maxShown)], ", "))
	if more := len(names) - maxShown; more > 0 {
		b.WriteString(", …")
	}
	return b.String()
}

// nearest is the name that was most likely meant, or "" where none is close.
func nearest(name string, names []string) string {
	if len(name) > maxLetters {
		return ""
	}
	best, at := "", 1+len(name)/3
	for _, n := range names {
		if d := distance(strings.ToLower(name), strings.ToLower(n)); d <= at && (best == "" || d < at) {
			best, at = n, d
		}
	}
	return best
}

// distance is how many letters have to be put in, taken out or changed.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		left := row[0]
		row[0] = i + 1
		for j := range y {
			cost := left
			if x[i] != y[j] {
				cost = 1 + min(left, row[j], row[j+1])
			}
			left, row[j+1] = row[j+1], cost
		}
	}
	return row[len(y)]
}
