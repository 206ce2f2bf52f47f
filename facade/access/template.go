package access

import (
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
)

// Template is a rule of a frond.yaml. Its condition on rows names places in the caller's state, such as $user.id.
type Template struct {
	Number int
	At     string         // FILE#POINTER
	When   string         // "": always
	Rows   *filter.Filter // its operands may be placeholders, see [Placeholder]; nil: all rows
	Hide   []string
	Opens  []string // the operations that the rule decides and opens

	rule *rule
	of   *rules
}

// Templates returns the rules of a door, with now in place of $now. ok is false for another collector.
func Templates(c Collector, d *catalog.Door, now time.Time) (all []Template, ok bool) {
	r, ok := c.(*rules)
	if !ok {
		return nil, false
	}
	for i, a := range r.access(d) {
		this := r.list[i]
		all = append(all, Template{Number: i, At: r.file + "#" + this.at, When: a.When, Rows: atTime(this.rows, now), Hide: this.hide, Opens: a.Opens, rule: this, of: r})
	}
	return all, true
}

// Decides reports whether the rule is the one that counts for an operation of a caller.
func (t *Template) Decides(state State, op string) bool {
	first, err := t.of.first(state, op)
	return err == nil && first == t.rule
}

// Bind returns the condition on rows for a caller; nil: all rows.
func (t *Template) Bind(state State) *filter.Filter { return bind(t.Rows, binding{state: state}) }

// Placeholder returns the place in the caller's state that an operand of a template names, such as user.id; "" for a value. list
// says that the whole list of in or notIn is there.
func Placeholder(operand any) (name string, list bool) {
	if ref, is := operand.(*reference); is {
		return ref.text[1:], ref.list
	}
	return "", false
}

// atTime returns a template's filter with a moment in place of $now.
func atTime(f *filter.Filter, now time.Time) *filter.Filter {
	if _, timed := dynamic(f); !timed {
		return f
	}
	out := *f
	out.Values, out.Sub = nil, nil
	for _, v := range f.Values {
		if ref, is := v.(*reference); is && ref.path == nil {
			v, _ = operandOf(f, ref.find(binding{now: now}, f.Field))
		}
		out.Values = append(out.Values, v)
	}
	for _, sub := range f.Sub {
		out.Sub = append(out.Sub, atTime(sub, now))
	}
	return &out
}
