package filter

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// maxSteps is how many one-relations a derived value goes through.
const maxSteps = 3

// Counts reports whether the value is a number of rows, which is never null.
func (d *Derived) Counts() bool {
	return d.Next == nil && (d.Func == Count || d.Func == CountDistinct)
}

// MeetsNone reports whether an Aggregate holds for a row without any rows behind the relation.
func (f *Filter) MeetsNone() bool {
	none := json.RawMessage("null")
	if f.Derived.Counts() {
		none = json.RawMessage("0")
	}
	return !slices.ContainsFunc(f.Sub[0].Conditions(), func(c *Filter) bool { return !c.Meets(none) })
}

// Path reads a derived value in the form that orders name it: author.name, reviews.count,
// reviews.rating.avg. It is nil if the caller has no such value. why is the reason if the caller may
// know it, as the end of a sentence that begins with the path. After a name that leads nowhere,
// p.Missing says where on the path.
func (p *Parser) Path(ctx context.Context, e *schema.Entity, scope Scope, path string) (d *Derived, why string) {
	p.ctx = ctx
	if d, why = p.behind(e, scope, path, maxSteps); d != nil {
		d.named(path)
	}
	return d, why
}

// behind reads a path that may go through so many one-relations.
func (p *Parser) behind(e *schema.Entity, scope Scope, path string, steps int) (d *Derived, why string) {
	name, rest, _ := strings.Cut(path, ".")
	_, link := p.named(e, scope, name)
	if link == nil && rest != "" {
		p.Missing = &Missing{e, name, p.onPath(e, scope, false)}
	}
	if link == nil || rest == "" {
		return nil, ""
	}
	there, via, ok := p.across(link)
	if !ok {
		return nil, ""
	}
	d = &Derived{Link: link, Where: there.Visible(), Via: via}
	step, _, further := strings.Cut(rest, ".")
	switch {
	case link.Many && rest == Count.String():
		d.Func = Count
		return d, ""
	case link.Many:
		at := strings.LastIndexByte(rest, '.')
		if d.Func = Function(rest[at+1:]); d.Func == Key || at < 0 {
			return nil, "leads to many rows; write " + name + ".count, or a function behind a field, such as avg"
		}
		rest = rest[:at]
	case steps == 0:
		return nil, fmt.Sprintf("goes through more than %d relations; leave some out", maxSteps)
	case further && link.Target.Property(rest) == nil:
		if _, next := p.named(link.Target, there, step); next == nil {
			p.Missing = &Missing{link.Target, step, p.onPath(link.Target, there, false)}
			return nil, ""
		}
		if d.Next, why = p.behind(link.Target, there, rest, steps-1); d.Next == nil {
			return nil, why
		}
		return d, ""
	}
	field, to := p.named(link.Target, there, rest)
	if field == nil || !field.Stored || to != nil && field.Name != rest {
		p.Missing = &Missing{link.Target, rest, p.onPath(link.Target, there, true)}
		return nil, ""
	}
	if d.Of = field; link.Many {
		why = p.lacks(d)
	} else if !IsScalar(field) {
		why = "has values without an order"
	}
	if why != "" {
		return nil, why
	}
	return d, ""
}

// Missing is the name on a path that leads nowhere for the caller, and the names that the entity has in
// its place.
type Missing struct {
	Entity *schema.Entity
	Name   string
	Names  []string
}

// onPath are the names of an entity that a path may go on with: its relations, or with fields its values.
func (p *Parser) onPath(e *schema.Entity, scope Scope, fields bool) (all []string) {
	for _, f := range e.Fields {
		switch {
		case !scope.Readable(f):
		case fields && IsScalar(f):
			all = append(all, f.Name)
		case !fields && f.Link != nil:
			if _, _, ok := p.across(f.Link); ok {
				all = append(all, f.Link.Name)
			}
		}
	}
	return all
}

// Derives reports whether the filter compares a derived value.
func (f *Filter) Derives() bool {
	return f != nil && (f.Derived != nil || slices.ContainsFunc(f.Sub, (*Filter).Derives))
}
