package facade

import (
	"context"
	"strings"
)

// find is the first step: the operation behind entity.op. What is not served is
// NOT_FOUND, and the message names what is.
func (t *trip) find(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	t.state = t.call.Invocation.State
	if s := stationOf(ctx); s != nil {
		if t.depth, t.inside, t.lent = s.depth+1, s.inside, s.lent; t.depth > maxDepth {
			return Errorf(InternalError, "more than %d calls stand within each other; do handlers call each other in a circle?", maxDepth)
		}
	}
	if t.state == nil {
		t.state = StateFrom(ctx)
	}
	door, op, err := t.facade.catalog.find(t.call.Entity, t.call.Operation)
	if err != nil {
		return err
	}
	t.door, t.op = door, op
	return nil
}

func (c *Catalog) find(entity, operation string) (*Door, *Operation, *Error) {
	door := c.Door(entity)
	if door == nil {
		return nil, nil, Errorf(NotFound, "no entity is called %s here%s", shown(entity), served(entity, c.doorNames()))
	}
	op := door.Operation(operation)
	if op == nil {
		return nil, nil, Errorf(NotFound, "%s has no operation called %s%s", door.Name, shown(operation), served(operation, door.operationNames()))
	}
	return door, op, nil
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

// served ends a message with what there is instead of name.
func served(name string, names []string) string {
	if len(names) == 0 {
		return "; there is none at all"
	}
	var b strings.Builder
	if near := nearest(name, names); near != "" {
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
