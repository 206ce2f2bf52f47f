// Package access decides the permissions of callers: collectors, the rules of frond.yaml, and the
// computed fields of a caller.
package access

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/expression"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// rules are the collector that a frond.yaml declares (docs/collectors.md):
//
//	collectors:
//	  order:
//	    - when: user.role == "admin"              # sees everything
//	    - when: user != nil
//	      for:  [facade_test.update]                          # of these operations alone
//	      rows: { customerId: { eq: $user.id }, status: { eq: open } }
//	    - when: user != nil
//	      rows: { customerId: { eq: $user.id } }  # only these rows exist
//	      hide: [internalNote]                    # these fields do not
//	      readOnly: [status]                      # this one is seen and never sent
//	      actor: true                             # who caused an event is shown
//	      set:  { customerId: $user.id }          # stamped at create, never sent
//	      deny: [delete]                          # FORBIDDEN
//	    - when: user.role == "till"
//	      allow: [list, findById, pay]            # these and no others
//	    - deny: all                               # UNAUTHORIZED without a user, else FORBIDDEN
//
// The first rule for the operation whose when holds decides. Without one the door is shut, as if
// the last rule were deny: all (docs/decisions/access-rules.md).
type rules struct {
	file  string
	at    string // pointer to them
	list  []*rule
	timed bool // one of them names $now
}

var (
	_ Presetter   = (*rules)(nil)
	_ ActorShower = (*rules)(nil)
)

// rule is one rule, compiled.
type rule struct {
	at      string
	when    *expression.Expr // nil: always
	ops     []string         // the operations it is for; nil: all
	rows    *filter.Filter   // a template where bound is set
	bound   bool             // rows holds references
	hide    []string
	set     []preset
	deny    []string
	denyAll bool

	readOnly []string
	actor    bool
	allow    []string // nil: not written
	allowAll bool
	source   project.Rule // as it was written, for the table of rights
}

// preset is one field that a rule stamps.
type preset struct {
	field *schema.Property
	value json.RawMessage // as it is kept
	ref   *reference      // instead of value
}

// Scope implements [Collector]: the rules at this moment. The path calls scopeAt with the
// time of the call.
func (r *rules) Scope(_ context.Context, state State, door *catalog.Door, op *catalog.Operation) (Scope, error) {
	return r.scopeAt(time.Now(), state, door, op)
}

// scopeAt goes through the rules; now is the value of $now. A rule whose when fails
// denies: the caller is not known, so the call is refused.
func (r *rules) scopeAt(now time.Time, state State, door *catalog.Door, op *catalog.Operation) (Scope, error) {
	switch rule, err := r.first(state, op.Name); {
	case err != nil:
		return Scope{}, kiterror.Internal(fmt.Errorf("the collector of %s, %s/when: %w", door.Name, rule.at, err))
	case rule != nil:
		return rule.scope(binding{state, now}, door, op)
	}
	return Scope{}, Denied(state, door, op)
}

// first returns the rule that decides on an operation, or the one whose when fails; nil without a
// rule.
func (r *rules) first(state State, op string) (*rule, error) {
	given := asked{state: state}
	for _, rule := range r.list {
		if !rule.isFor(op) {
			continue
		}
		if holds, err := rule.holds(&given); holds || err != nil {
			return rule, err
		}
	}
	return nil, nil
}

// Presets implements [Presetter]: the fields that a rule sets which opens create to somebody.
func (r *rules) Presets() (names []string) {
	create := &catalog.Operation{Name: "create", Kind: catalog.Command, Builtin: true}
	for _, rule := range r.list {
		if !rule.isFor(create.Name) {
			continue
		}
		for _, p := range rule.set {
			if rule.permits(create) && !slices.Contains(names, p.field.Name) {
				names = append(names, p.field.Name)
			}
		}
		if rule.when == nil { // the rules behind it are not reached
			break
		}
	}
	return names
}

// ShowsActor implements [ActorShower].
func (r *rules) ShowsActor() bool {
	return slices.ContainsFunc(r.list, func(rule *rule) bool { return rule.actor && !rule.denyAll })
}

// asked is the state of a caller, which rules ask.
type asked struct {
	state State
	names map[string]any // that the expressions of rules read; nil: none was asked for
}

// holds evaluates the rule's when; null counts as false. user is null for an anonymous caller.
func (r *rule) holds(of *asked) (bool, error) {
	user := of.state.User()
	if r.when == nil {
		return true, nil
	}
	if r.when.Quick != nil {
		if holds, known := r.when.Quick(user); known {
			return holds, nil
		}
	}
	if of.names == nil {
		of.names = map[string]any{"user": nil, "state": map[string]any(of.state)}
		if user != nil {
			of.names["user"] = user
		}
	}
	out, err := r.when.Run(of.names)
	if err != nil || out == nil {
		return false, err
	}
	holds, ok := out.(bool)
	if !ok {
		return false, fmt.Errorf("%s: it gave %T instead of true or false", r.when.Text, out)
	}
	return holds, nil
}

// scope is the scope that a matching rule opens, with its references bound.
func (r *rule) scope(in binding, door *catalog.Door, op *catalog.Operation) (Scope, error) {
	if !r.permits(op) {
		return Scope{}, Denied(in.state, door, op)
	}
	s := Scope{Rows: r.rows, Hide: r.hide, ReadOnly: r.readOnly, Actor: r.actor}
	if len(r.set) > 0 {
		s.Set = make(schema.Object, 0, len(r.set))
	}
	if r.bound {
		s.Rows = bind(r.rows, in)
	}
	for _, p := range r.set {
		value := p.value
		if p.ref != nil {
			var ok bool
			switch {
			case op.Stamps():
				if value, ok = p.find(in); !ok {
					return Scope{}, Denied(in.state, door, op).WithCause(kiterror.Logged(&unsetError{r.at, p.field.Name, p.ref.text}))
				}
			default: // nothing is stamped: it only cannot be sent
				if value, ok = textOfState(p.ref.find(in, p.field)); !ok {
					value = json.RawMessage("null")
				}
			}
		}
		s.Set = append(s.Set, schema.Member{Name: p.field.Name, Value: value})
	}
	return s, nil
}

// isFor reports whether the rule is about an operation.
func (r *rule) isFor(op string) bool { return r.ops == nil || among(r.ops, op) }

// permits says whether the rule opens an operation it is for. Without allow, these are the
// built-in ones and the author's queries that it does not deny: a command of the author's is
// closed until an allow names it, so that a rule which only lists denied operations does not
// open a later one (docs/decisions/access-rules.md).
func (r *rule) permits(op *catalog.Operation) bool {
	switch {
	case r.denyAll || among(r.deny, op.Name):
		return false
	case r.allow != nil:
		return among(r.allow, op.Name)
	}
	return r.allowAll || op.Builtin || op.Kind == catalog.Query
}

// among reports whether names hold an operation; findByIds counts as findById for many.
func among(names []string, op string) bool {
	return slices.Contains(names, op) || op == "findByIds" && slices.Contains(names, "findById")
}

// find is the value that a preset refers to, in the form rows hold it; false without a value
// that the field takes.
func (p *preset) find(in binding) (json.RawMessage, bool) {
	text, ok := textOfState(p.ref.find(in, p.field))
	if !ok {
		return nil, false
	}
	if p.field.Kind == schema.KindInteger {
		if n, ok := operandOf(&filter.Filter{Op: filter.Eq, Field: p.field}, jsontext.Unquote(text)); ok && jsontext.KindOf(text) == jsontext.String {
			text = schema.AppendValue(nil, n)
		}
	}
	if why := unfitFor(p.field, text); why != "" {
		return nil, false
	}
	return storedForm(p.field, text), true
}

// RefusedValue is the refusal of a value by a field's card.
func RefusedValue(p *schema.Property, value json.RawMessage) []schema.Detail {
	_, details := p.Owner.Judge(schema.Plain, schema.Object{{Name: p.Name, Value: value}}.AppendJSON(nil), "/body")
	return slices.DeleteFunc(details, func(d schema.Detail) bool {
		top, _, _ := strings.Cut(d.Path, ".")
		return top != p.Name
	})
}

// unfitFor returns the reason why a field cannot hold a value, or "".
func unfitFor(p *schema.Property, value json.RawMessage) string {
	if details := RefusedValue(p, value); len(details) > 0 {
		return details[0].Message
	}
	return ""
}

// storedForm returns a value in the form in which rows hold it.
func storedForm(p *schema.Property, value json.RawMessage) json.RawMessage {
	if p.Kind == schema.KindDateTime {
		return schema.NormalDateTime(value)
	}
	return value
}

// Denied is the verdict of a rule that denies, and of rules that all fail to hold: UNAUTHORIZED
// for an anonymous caller, else FORBIDDEN.
func Denied(state State, door *catalog.Door, op *catalog.Operation) *kiterror.Error {
	what := door.Name
	if len(door.Operations)+len(door.Inside) > 0 { // a fact with a shape of its own has none
		what += "." + op.Name
	}
	if state.User() == nil {
		return kiterror.Errorf(kiterror.Unauthorized, "%s is not for everybody; say who you are", what)
	}
	return kiterror.Errorf(kiterror.Forbidden, "%s is not for you", what)
}

// unsetError says which value a rule could not set; explain and the log show it, callers do not
// see it.
type unsetError struct{ rule, field, reference string }

// Error names the rule, the field and the reference.
func (e *unsetError) Error() string {
	return fmt.Sprintf("%s sets %s to %s, and this caller has no such value that fits the field", e.rule, e.field, e.reference)
}

// RuleVerdict is one rule and what came of it.
type RuleVerdict struct {
	When    string `json:"when"`    // the expression; "": always
	Verdict string `json:"verdict"` // holds, does not hold, is not for this operation, fails: …, is not asked
}

// verdicts goes through the rules as Scope does, and reports what came of each.
func (r *rules) verdicts(state State, op *catalog.Operation) []RuleVerdict {
	given := asked{state: state}
	out := make([]RuleVerdict, len(r.list))
	over := false
	for i, rule := range r.list {
		if rule.when != nil {
			out[i].When = rule.when.Text
		}
		holds, err := false, error(nil)
		switch {
		case over:
			out[i].Verdict = "is not asked"
			continue
		case !rule.isFor(op.Name):
			out[i].Verdict = "is not for this operation"
			continue
		}
		holds, err = rule.holds(&given)
		switch {
		case err != nil:
			out[i].Verdict, over = "fails: "+err.Error(), true
		case holds && !rule.permits(op):
			out[i].Verdict, over = "holds, and denies", true
		case holds:
			out[i].Verdict, over = "holds", true
		default:
			out[i].Verdict = "does not hold"
		}
	}
	return out
}

// ScopeOf asks the collector of a door. now returns the time of the call; ScopeOf calls it if a
// rule names it.
func ScopeOf(ctx context.Context, c Collector, now func() time.Time, state State, door *catalog.Door, op *catalog.Operation) (Scope, error) {
	r, is := c.(*rules)
	if op.Derived() {
		return scopeOfDerived(ctx, c, now, state, door, op)
	}
	if !is {
		return c.Scope(ctx, state, door, op)
	}
	var at time.Time
	if r.timed {
		at = now()
	}
	return r.scopeAt(at, state, door, op)
}

// scopeOfDerived is the scope of an operation with the rights of others: the scope of the first one
// that it needs, if the caller has the rights of all of them. A rule that denies it by its own name
// denies it alone.
func scopeOfDerived(ctx context.Context, c Collector, now func() time.Time, state State, door *catalog.Door, op *catalog.Operation) (s Scope, err error) {
	for _, need := range slices.Backward(op.Needs) {
		if s, err = ScopeOf(ctx, c, now, state, door, need); err != nil {
			if denied := Denied(state, door, need); kiterror.AsError(err).Message == denied.Message {
				err = Denied(state, door, op) // the caller knows the operation that was called
			}
			return s, err
		}
		r, is := c.(*rules)
		if !is {
			continue
		}
		if rule, _ := r.first(state, need.Name); rule != nil && slices.Contains(rule.deny, op.Name) {
			return Scope{}, Denied(state, door, op)
		}
	}
	return s, nil
}

// VerdictsOf says where the rules of a collector are written, and what came of each of them; ok is
// false for a collector that Go code attaches.
func VerdictsOf(c Collector, state State, op *catalog.Operation) (at string, verdicts []RuleVerdict, ok bool) {
	r, is := c.(*rules)
	if !is {
		return "", nil, false
	}
	return r.file + "#" + r.at, r.verdicts(state, op), true
}

// Unset names the value that a rule could not set, if that is why it denied, or "".
func Unset(err error) string {
	if unset := (*unsetError)(nil); errors.As(err, &unset) {
		return unset.Error()
	}
	return ""
}
