package access

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// Collector turns a caller's state into what one door shows (spec 1.3, docs/collectors.md).
// It may be called from many goroutines.
type Collector interface {
	// Scope returns the permissions of the caller. An error is the verdict: UNAUTHORIZED
	// or FORBIDDEN; it is asked about every operation, named commands among them. A door
	// without a collector is open. Where rows of the door are
	// reached from another one (a relation in a filter, an answer), op is its list.
	Scope(ctx context.Context, state State, door *catalog.Door, op *catalog.Operation) (Scope, error)
}

// Presetter is a Collector that lists beforehand the fields it may set. A caller whose field
// is set cannot send it, and any other caller has to: a surface that states required fields
// before it knows the caller leaves these to the façade.
type Presetter interface {
	Collector
	Presets() []string
}

// CollectorFunc is a function that is a Collector.
type CollectorFunc func(ctx context.Context, state State, door *catalog.Door, op *catalog.Operation) (Scope, error)

// Scope calls f.
func (f CollectorFunc) Scope(ctx context.Context, state State, door *catalog.Door, op *catalog.Operation) (Scope, error) {
	return f(ctx, state, door, op)
}

// ActorShower is a Collector whose scopes may have Actor. The events of its facts have the member actor, which is null for
// a subscriber whose scope does not have it.
type ActorShower interface {
	Collector
	ShowsActor() bool
}

// Scope limits the operations, rows and fields of one door for a caller. The zero value is all.
type Scope struct {
	Rows *filter.Filter // only these rows exist for the caller; ANDed into every read, update and delete
	Hide []string       // these fields, stored or computed, do not exist for the caller
	Set  schema.Object  // stamped at creation; the caller cannot send them

	ReadOnly []string // these fields are seen and cannot be sent

	Actor bool // who caused an event is shown to the subscriber
}

// Readable says whether a field exists for the caller: boundary.out is open and
// no collector hides it. It decides select, filter, sort, cursor and error text.
func (s *Scope) Readable(p *schema.Property) bool { return p.Readable() && !s.Hides(p.Name) }

// Visible is the condition on the rows that exist for the caller; nil: all rows. Together
// with Readable it makes a Scope a [filter.Scope].
func (s *Scope) Visible() *filter.Filter { return s.Rows }

// Open is the scope of a door without a collector, and of the author's own code.
var Open = &Scope{}

// Hides reports whether the scope takes the field called name from the caller: it is an
// unknown key for them.
func (s *Scope) Hides(name string) bool {
	return slices.Contains(s.Hide, name)
}

// ReadsOnly reports whether the scope lets the caller read the field called name and not
// send it.
func (s *Scope) ReadsOnly(name string) bool { return slices.Contains(s.ReadOnly, name) }

// State is the caller's state (spec 2.6), as the surface found it.
type State map[string]any

// User is state.user, or nil for an anonymous caller.
func (s State) User() map[string]any {
	u, _ := s["user"].(map[string]any)
	return u
}

// UserID is state.user.id as a text; "": the caller is anonymous. A number, as dev identity and sessions of a program
// may send, is written as Go prints it.
func (s State) UserID() string {
	switch id := s.User()["id"].(type) {
	case nil:
		return ""
	case string:
		return id
	default:
		return fmt.Sprint(id)
	}
}

// ActsFor is the id of the user who acts for the caller: state.as, else the claim act.sub of the caller's token (RFC 8693,
// section 4.1); "": the caller acts.
func (s State) ActsFor() string {
	if as, _ := s["as"].(string); as != "" {
		return as
	}
	claims, _ := s.User()["claims"].(map[string]any)
	act, _ := claims["act"].(map[string]any)
	sub, _ := act["sub"].(string)
	return sub
}

// Token is the name of the caller's token, state.token; "": it has no name.
func (s State) Token() string {
	name, _ := s["token"].(string)
	return name
}

// hostMember is the member of a state that a host sets in a call of its own, by which it does what onDelete says for rows that
// another host keeps.
const hostMember = "host"

// OfHost returns the state for a call that a host makes by itself on behalf of the caller of s. Access rules do not hold for it.
func (s State) OfHost() State { return s.with(hostMember, true) }

// with returns the state with a member.
func (s State) with(member string, value any) State {
	own := State{}
	for name, value := range s {
		own[name] = value
	}
	own[member] = value
	return own
}

// rulesMember is the member of a state that a host sets where its access rules ask about rows that another host keeps.
const rulesMember = "rules"

// WithRules returns the state for a call whose filter has conditions of access rules, for which all rows exist.
func (s State) WithRules() State { return s.with(rulesMember, true) }

// actorMember is the member of a state that says at another host who causes the events of a command.
const actorMember = "eventActor"

// WithActor returns the state for a command at another host. actor is the JSON of who causes its events.
func (s State) WithActor(actor string) State { return s.with(actorMember, actor) }

// Actor returns the value of WithActor, or "".
func (s State) Actor() string {
	actor, _ := s[actorMember].(string)
	return actor
}

// HasRules reports whether the filter of a call has such conditions.
func (s State) HasRules() bool { return s[rulesMember] == true }

// IsHost reports whether a host calls by itself.
func (s State) IsHost() bool { return s[hostMember] == true }

// OfCaller returns the state without the members of [State.OfHost], [State.WithRules] and [State.WithActor], for states that no host has signed.
func (s State) OfCaller() State {
	for _, name := range []string{hostMember, rulesMember, actorMember} {
		if _, has := s[name]; has {
			s = maps.Clone(s)
			delete(s, name)
		}
	}
	return s
}

// Versioned are the fields of an entity that a version is made of.
func (s *Scope) Versioned(e *schema.Entity) (fields []*schema.Property) {
	for _, p := range e.Fields {
		if p.Stored && s.Readable(p) {
			fields = append(fields, p)
		}
	}
	return fields
}

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
