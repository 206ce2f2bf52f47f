package facade

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// find is the first step: the operation behind entity.op, and the runner that answers it. An
// unknown operation is NOT_FOUND, with the names that the caller may use.
func (x *execution) find(ctx context.Context) error {
	err := lookUp(ctx, x)
	if x.trace != nil && x.trace.Found != nil {
		x.trace.Found(x.traced())
	}
	return err
}

// lookUp finds door and operation. It fails first where ctx has ended, and where calls
// are nested too deep: handlers that call each other in a circle end here and
// not on the stack.
func lookUp(ctx context.Context, x *execution) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := RequestOf(ctx).Spend(callWork); err != nil {
		return err
	}
	x.state = x.call.Invocation.State
	if s := callContextOf(ctx); s != nil {
		if x.transaction = x.host.transactionOf(ctx); x.transaction != nil {
			x.late = x.transaction.late
		}
		x.from, x.inside, x.kept, x.owned, x.pending, x.within, x.passed = s, s.inside, s.kept, s.owned, s.pending, s.op, s.passed
		if x.depth = s.depth + 1; x.depth > maxDepth {
			return kiterror.Errorf(kiterror.InternalError, "more than %d calls are nested; do handlers call each other in a circle?", maxDepth)
		}
	}
	if x.state == nil {
		x.state = StateFrom(ctx)
	}
	door, op := x.host.catalog.Find(x.call.Entity, x.call.Operation)
	if op == nil && x.inside && door != nil {
		op = door.Inside[x.call.Operation]
	}
	if op == nil {
		return x.host.missing(ctx, x.host.catalog, x.call, x.inside)
	}
	x.door, x.op = x.host.doors.of(door), x.host.operations.of(op)
	if x.owned && x.op.ofMany != nil && jsontext.KindOf(x.call.Invocation.Body) == jsontext.Array {
		x.op = x.op.ofMany
	}
	x.runner = x.op.runner
	if x.inside {
		x.runner = x.op.inner
	}
	return nil
}

// missing is NOT_FOUND for a name that a view does not show. It lists the operations of the view for this
// caller: an operation that a collector refuses them is left out (docs/decisions/errors.md).
func (h *host) missing(ctx context.Context, view *catalog.Catalog, c *Call, inside bool) *kiterror.Error {
	state := c.Invocation.State
	if state == nil {
		state = StateFrom(ctx)
	}
	may := func(op *catalog.Operation) bool {
		collector := h.doors.of(op.Door).collector
		if inside || collector == nil {
			return true
		}
		_, err := access.ScopeOf(ctx, collector, h.now, state, op.Door, op)
		return err == nil
	}
	var names []string
	if door := view.Door(c.Entity); door != nil {
		if why := unopened(door, c.Operation, h.suggest); why != "" {
			return kiterror.Errorf(kiterror.NotFound, "%s", why)
		}
		for _, op := range door.Operations {
			if may(op) {
				names = append(names, op.Name)
			}
		}
		return kiterror.Errorf(kiterror.NotFound, "%s has no operation called %s%s", door.Name, schema.Quoted(c.Operation), schema.Instead(c.Operation, names, h.suggest))
	}
	for door := range view.Doors() {
		if len(names) <= schema.MaxNames && slices.ContainsFunc(door.Operations, may) {
			names = append(names, door.Name)
		}
	}
	return kiterror.Errorf(kiterror.NotFound, "no entity is called %s here%s", schema.Quoted(c.Entity), schema.Instead(c.Entity, names, h.suggest))
}

// scope is the second step: the collectors say which rows and fields this caller has, of the
// door and of the rows that will be answered. It comes before anything runs: a caller who
// may not see the answer does not act either.
func (x *execution) scope(ctx context.Context) (err error) {
	if x.doorScope, err = x.scopeOf(ctx, x.door, x.op.Operation); err != nil {
		return err
	}
	x.resultScope = x.doorScope
	if out := x.op.OutDoor; out != nil && out != x.door.Door {
		// Asked before anything runs: without a right to see the answer, a caller does not act
		// either.
		x.resultScope, err = x.scopeOf(ctx, x.host.doors.of(out), out.Reading())
	}
	return err
}

// scopeOf is the answer of the collector of a door about an operation. The error is its
// verdict.
func (x *viewer) scopeOf(ctx context.Context, door *boundDoor, op *catalog.Operation) (scope *access.Scope, err error) {
	scope, err = x.collect(ctx, door, op)
	traceScope(x, door, op, scope, err)
	return scope, err
}

// collect calls the collector of a door. A door without one is open, and so is every door
// for the author's own code.
func (x *viewer) collect(ctx context.Context, door *boundDoor, op *catalog.Operation) (*access.Scope, error) {
	if x.inside || door.collector == nil || x.state.IsHost() {
		return access.Open, nil
	}
	s, err := access.ScopeOf(ctx, door.collector, x.now, x.state, door.Door, op)
	if err != nil {
		return nil, err
	}
	if door.Frond.Remote != "" && len(s.Hide) > 0 { // its host may have the same rules
		s.Rows = s.Rows.AsRule(func(p *schema.Property) bool { return s.Hides(p.Name) })
	}
	return &s, nil
}

// scopeBehind is the scope of the entity behind a relation. It is false if the caller may not
// see the entity at all: it has no door, the surface shows no operation that reads it, or its
// collector denies the caller.
func (x *viewer) scopeBehind(ctx context.Context, e *schema.Entity) (*access.Scope, bool) {
	if !x.inside && !x.catalogView.Reaches(e) {
		return nil, false
	}
	return x.scopeOfRows(ctx, e)
}

// Behind implements [filter.Host].
func (x *viewer) Behind(ctx context.Context, l *schema.Link) (filter.Scope, bool) {
	if !catalog.Crossed(x.host.catalog.Fronds, l) {
		return nil, false
	}
	scope, ok := x.scopeBehind(ctx, l.Target)
	return x.view(scope), ok
}

// between returns the condition on the rows in between of a relation that exist for the caller; nil
// for a direct relation. It is false if the caller may not list them or may not read their keys.
func between(ctx context.Context, x *viewer, l *schema.Link) (*filter.Filter, bool) {
	if l.Through == nil {
		return nil, true
	}
	scope, ok := x.scopeBehind(ctx, l.Inverse.Owner)
	if !ok || !x.readable(scope, l.Inverse) || !x.readable(scope, l.Through) {
		return nil, false
	}
	return scope.Rows, true
}

// Decode implements [filter.Host].
func (x *viewer) Decode(p *schema.Property, text json.RawMessage) (json.RawMessage, bool) {
	if x.inside {
		return text, true
	}
	return x.door.keeper.decode(x, p, text)
}

// Converts implements [filter.Host].
func (x *viewer) Converts(p *schema.Property) bool {
	return p.Axes.Out.Name != "" && !x.inside && !x.kept
}

// view is a scope as a filter of this call asks about it.
func (x *viewer) view(scope *access.Scope) filter.Scope {
	if x.inside {
		return filter.All
	}
	return scope
}

// scopeOfRows is the scope of the caller by the collector of an entity's door, for any surface:
// a key may be written to a row that the surface does not show. It is asked once in a call.
func (x *viewer) scopeOfRows(ctx context.Context, e *schema.Entity) (*access.Scope, bool) {
	if x.inside {
		return access.Open, true
	}
	there := x.host.catalog.Door(e.Key)
	if there == nil {
		return nil, false
	}
	door := x.host.doors.of(there)
	switch {
	case door.collector == nil:
		return access.Open, true
	case door == x.door && x.op.Operation == door.Reading():
		return x.doorScope, true // not of a command: its rules may be other ones than those of reading
	}
	s, asked := x.scopes[there]
	if !asked {
		var err error
		if s, err = x.scopeOf(ctx, door, door.Reading()); kiterror.CodeOf(err) == kiterror.InternalError {
			x.fail(err) // not a verdict on the caller: the collector itself failed
		}
		if x.scopes == nil {
			x.scopes = map[*catalog.Door]*access.Scope{}
		}
		x.scopes[there] = s
	}
	return s, s != nil
}

// readable reports whether a field exists for a caller with this scope: the one predicate
// behind select, filter, sort, cursor and error text (docs/calls.md).
func (x *viewer) readable(scope *access.Scope, p *schema.Property) bool {
	return p.Stored && (x.inside || scope.Readable(p))
}

// givesCursors reports whether the caller may have cursors: they carry the primary key, so the
// caller has to be able to read it (docs/calls.md: one predicate).
func givesCursors(x *viewer) bool { return x.readable(x.doorScope, x.door.Entity.Primary) }

// surface is a façade that shows one view of its catalog.
type surface struct {
	host *host
	view *catalog.Catalog
}

type surfaceKey struct{}

// Call implements [Caller] for the view of the surface. Middleware comes after this check, so
// that a middleware which answers calls by itself answers only calls of the view.
func (s *surface) Call(ctx context.Context, c *Call) (*Result, error) {
	c, err := underNewName(s.view, c)
	if err != nil {
		return nil, err
	}
	if _, op := s.view.Find(c.Entity, c.Operation); op == nil {
		return nil, s.host.missing(ctx, s.view, c, false).At(c.Entity, c.Operation)
	}
	return s.host.Call(context.WithValue(ctx, surfaceKey{}, s), c)
}

// viewOf is the catalog that a call may reach, by the surface it came in by. The path learns it once:
// the context that goes on is one without a surface, so that the author's code calls in
// process.
func (h *host) viewOf(ctx context.Context) (*catalog.Catalog, context.Context) {
	s, _ := ctx.Value(surfaceKey{}).(*surface)
	if s == nil || s.host != h {
		return h.catalog, ctx
	}
	return s.view, context.WithValue(ctx, surfaceKey{}, (*surface)(nil))
}

// unopened is why a door has no write of many rows, or a remote one no aggregate, and a remedy; "" for
// any other name. The key of frond.yaml is for developers alone.
func unopened(door *catalog.Door, name string, suggest bool) string {
	for word, op := range project.ManyWords {
		switch {
		case op != name || door.Entity == nil || door.Operation(name) != nil:
		case door.Frond.Remote != "":
			return fmt.Sprintf("%s has no operation called %s: the host that it runs at does not offer it; write each row by itself", door.Name, name)
		case suggest:
			return fmt.Sprintf("%s has no operation called %s; many: {%s: [%s]} in frond.yaml opens it", door.Name, name, door.Name, word)
		}
	}
	if name == catalog.Aggregate && door.Entity != nil && door.Frond.Remote != "" && door.Operation(name) == nil {
		return fmt.Sprintf("%s has no operation called %s: the host that it runs at does not offer it; list the rows, and group them where they are read", door.Name, name)
	}
	return ""
}

// Old names of fields (docs/decisions/migrations.md). The path brings them to the new names when it judges
// the body and the query, behind the collectors: a caller without the field cannot find it by its old name
// either.
//
//	a body       the member is renamed before it is judged   renameBody
//	a filter     at the member, in the filter's parser       Answers
//	sort         at the key                                  sortBy
//	fields       a column of the answer                      selection.go
//
// Handlers, hooks, stores and remotes are given the new names alone.

// Answers implements [filter.Host]: an old name means its field, and ends the call with GONE
// after its last day.
func (x *viewer) Answers(a *schema.FieldAlias) bool {
	x.used = append(x.used, a)
	if a.Past(x.now()) {
		x.gone(a)
	}
	return true
}

// renameBody gives the members of a body their new names. One whose new name is sent too is
// refused, unless the values are equal: a client that sends back the row it read has both.
func renameBody(x *viewer, card *schema.Entity) {
	body := x.call.Invocation.Body
	if card == nil || len(card.Aliases) == 0 || jsontext.KindOf(body) != jsontext.Object {
		return
	}
	scope := x.doorScope
	if x.inside || !x.door.Shapes(card) {
		scope = access.Open
	}
	var out schema.Object
	found := false
	for name, value := range jsontext.Members(body) {
		a := card.Alias(name)
		if a == nil || a.Name != name || scope.Hides(a.Field.Name) {
			out = append(out, schema.Member{Name: name, Value: value})
			continue
		}
		found = true
		to := a.Field.Name
		if a.Past(x.now()) {
			x.gone(a)
		}
		other := jsontext.Get(body, to)
		if other == nil {
			other = out.Get(to) // by another old name
		}
		switch {
		case other == nil:
			x.renamed = append(x.renamed, a)
			out = append(out, schema.Member{Name: to, Value: value})
		case !bytes.Equal(jsontext.Trim(other), jsontext.Trim(value)):
			x.refuse(schema.Detail{Path: name, Pointer: "/body/" + jsontext.Token(name), Code: "exclusive", Message: "is the old name of " + to + ", which is sent too; send " + to + " alone"})
		}
	}
	if found {
		own := *x.call // the caller keeps its own
		own.Invocation.Body = out.AppendJSON(nil)
		x.call = &own
	}
}

// inSentNames is a failure of a remote, which knows the new names, in the names of the caller:
// a caller without the field there does not learn its new name.
func inSentNames(x *viewer, err *kiterror.Error) *kiterror.Error {
	own := *err
	details, _ := err.Details.([]schema.Detail)
	if details = slices.Clone(details); details != nil {
		own.Details = details
	}
	for _, a := range slices.Concat(x.used, x.renamed) {
		for _, pair := range [][2]string{{a.Field.Name, a.Name}, {linkOf(a).Name, a.Relation}, {linkOf(a).Key, a.Key}} {
			is, was := pair[0], pair[1]
			own.Message = replaceWord(own.Message, is, was)
			for i := range details {
				d := &details[i]
				d.Path, d.Pointer, d.Message = replaceWord(d.Path, is, was), replaceWord(d.Pointer, is, was), replaceWord(d.Message, is, was)
			}
		}
	}
	return &own
}

// linkOf is the link of a renamed field, or a link without names.
func linkOf(a *schema.FieldAlias) schema.Link {
	if a.Field.Link == nil {
		return schema.Link{}
	}
	return *a.Field.Link
}

// replaceWord is a text with another name in place of each whole word name.
func replaceWord(text, name, by string) string {
	if name == "" {
		return text
	}
	inWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	var out strings.Builder
	for {
		before, after, found := strings.Cut(text, name)
		out.WriteString(before)
		if !found {
			return out.String()
		}
		last, _ := utf8.DecodeLastRuneInString(before)
		next, _ := utf8.DecodeRuneInString(after)
		if inWord(last) || inWord(next) {
			out.WriteString(name)
		} else {
			out.WriteString(by)
		}
		text = after
	}
}

// renameQuery writes the query of a call that used old names with the new ones, from the result of
// reading it, for handlers and remotes. Relations are followed here: their columns are in their
// place.
func renameQuery(x *execution) {
	if len(x.used) == 0 && x.relations == nil || x.groups != nil || x.call.Invocation.Query == nil || x.door.Entity == nil {
		return
	}
	own := *x.call
	own.Invocation.Query = schema.Rewrite(own.Invocation.Query, func(name string, value json.RawMessage) json.RawMessage {
		switch {
		case jsontext.IsNull(value):
		case name == "filter" && x.list.filter != nil:
			return x.list.filter.AppendJSON(nil)
		case name == "where" && x.condition != nil:
			return x.condition.AppendJSON(nil)
		case name == "sort":
			return x.list.order.text()
		case name == "fields":
			return jsontext.AppendStrings(nil, newNames(x.op.reader, x.fields[1]))
		}
		return value
	})
	x.call = &own
}

// newNames are names of fields with the new ones in place of the old.
func newNames(r *reader, names []string) []string {
	if r == nil || len(r.entity.Aliases) == 0 || names == nil {
		return names
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = name
		if a := r.entity.Alias(name); a != nil && a.Name == name {
			out[i] = a.Field.Name
		}
	}
	return out
}
