package facade

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// pick makes the selection of the call: the fields of names (nil: all) that are also in
// more (nil: all). A name that does not exist for the caller is refused.
func pick(x *execution, names, more []string) *selection {
	side := outside
	switch {
	case x.inside:
		side = within
	case x.kept:
		side = asKept
	}
	return pickOn(x, side, x.op.reader, x.resultScope, names, more)
}

// pickOn is pick for one side of the boundary. The choice is written down as one byte of
// marks for each field, which is the key that a reader keeps its selections by: a choice
// that was made before costs a look-up and no allocation.
func pickOn(x *execution, side boundarySide, r *reader, scope *access.Scope, lists ...[]string) *selection {
	var room [128]byte
	marks := append(room[:0], byte(side))
	for _, p := range r.entity.Fields {
		if p.Stored && (side == within || scope.Readable(p)) {
			marks = append(marks, exists|asked)
		} else {
			marks = append(marks, 0)
		}
	}
	free := lists[0] == nil && lists[1] == nil
	for _, c := range r.presenters {
		switch {
		case side != within && c.Hidden(scope):
			marks = append(marks, 0)
		case side == within && free:
			marks = append(marks, exists) // a presenter that reads its own rows would never end
		default:
			marks = append(marks, exists|asked)
		}
	}
	for _, a := range r.entity.Aliases {
		mark := byte(0)
		if answersAs(&x.viewer, side, scope, a) && !a.Past(x.now()) {
			mark = exists
			// The author's own code gets an old name only if it names it.
			if !free || side != within && x.depth == 0 {
				mark |= asked
			}
		}
		marks = append(marks, mark)
	}
	if r.versioned {
		if marks = append(marks, exists); !free {
			marks[len(marks)-1] |= asked
		}
	}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for i, name := range list {
			if name == catalog.AllFields {
				for j := range r.fieldCount() {
					if marks[1+j]&exists != 0 {
						marks[1+j] |= named
					}
				}
				continue
			}
			at := r.index(name)
			if at < 0 || marks[1+at]&exists == 0 {
				if a := r.alias(at); a != nil && answersAs(&x.viewer, side, scope, a) {
					x.gone(a)
					continue
				}
				unknownField(x, r, marks[1:], name, i)
				continue
			}
			marks[1+at] |= named
			if a := r.alias(at); a != nil {
				x.used = append(x.used, a)
			}
		}
		for i := range marks[1:] {
			if marks[1+i]&named == 0 {
				marks[1+i] &^= asked
			}
			marks[1+i] &^= named
		}
	}
	// The version of a remote's row comes with it.
	if x.versionScope != nil && x.op.Door.Frond.Remote == "" && (x.call.Version || r.versioned && marks[len(marks)-1]&asked != 0) {
		for _, p := range r.entity.Fields {
			switch {
			case !p.Stored || !x.versionScope.Readable(p):
			case side == within || scope.Readable(p):
				marks[1+p.Index] |= hashed
			default:
				marks[1+p.Index] |= skipped
			}
		}
	}
	if x.op.hooks != nil || x.op.Emits {
		for _, p := range r.entity.Fields {
			if p.Stored {
				marks[1+p.Index] |= hooked
			}
		}
	}
	return r.selection(marks)
}

// answersAs reports whether the field of an old name exists for the caller.
func answersAs(x *viewer, side boundarySide, scope *access.Scope, a *schema.FieldAlias) bool {
	return a.Field.Stored && (side == within || scope.Readable(a.Field) && !scope.Hides(a.Name))
}

// unknownField refuses the i-th name of a list of fields.
func unknownField(x *execution, r *reader, marks []byte, name string, i int) {
	instead := x.instead(name, func() (names []string) {
		for j, m := range marks {
			if m&exists != 0 {
				names = append(names, r.name(j))
			}
		}
		return names
	})
	message := fmt.Sprintf("names %s, which %s does not have%s", schema.Quoted(name), r.entity.Name, instead)
	if strings.Contains(name, ".") { // choose reads the paths of calls
		message = fmt.Sprintf("names %s, and events show the fields of the row itself; leave it out", schema.Quoted(name))
	}
	x.refuse(schema.Detail{Code: schema.UnknownKey, Message: message}.At(fmt.Sprintf("/query/fields/%d", x.place(i))))
}

// The list of fields of a query may lead through relations:
//
//	category.name              category is an object, or null
//	reviews.rating             reviews is {items, hasMore}, of at most maxRelated rows
//	reviews(limit:3).rating    of at most three
//	reviews.author.name        as deep as maxLevels
//
// The names behind a relation are judged before anything is read, by the rules of the door that
// they are of; followRelations reads them.

// The bounds of a list of fields. maxLevels is what GraphQL's depth of 15 allows below the rows of
// a list: a relation to one row is a level, one to many is two (the relation and its items).
const (
	maxRelated   = 50 // rows of a to-many relation
	maxRelations = 50 // relations in one list of fields
	maxLevels    = 12
)

// choose makes the selection of the call, relations included. Only one list of fields is sent as a
// rule; of two the narrower one counts, for relations too.
func choose(ctx context.Context, x *execution) {
	lists := [2][]string{x.call.Select, x.list.fields}
	for i, list := range lists {
		if slices.ContainsFunc(list, x.op.reader.leads) {
			lists[i] = readPaths(ctx, x, list, lists[1-i])
		}
	}
	x.fields = lists
	x.sel = pick(x, lists[0], lists[1])
	for _, r := range x.relations {
		admitRelation(ctx, x, r)
	}
}

// leads reports whether a name in a list of fields is no field and may lead through a relation.
func (r *reader) leads(name string) bool {
	l := r.entity.Relation(name)
	return l != nil && (!l.Field.Stored || l.Field.Name != name) || strings.ContainsAny(name, ".(") && r.index(name) < 0
}

// readPaths enters the relations of a list of fields and returns the list with the columns in their
// place that they are followed by. The place of a name stays the same. other is the second list.
func readPaths(ctx context.Context, x *execution, list, other []string) []string {
	if why := tooManyRelations(list); why != "" {
		x.refuseQuery("fields", "maxItems", why)
		return []string{}
	}
	out := slices.Clone(list)
	for i, path := range list {
		if !x.op.reader.leads(path) {
			continue
		}
		if alone := x.op.reader.entity.Relation(path); alone != nil {
			if r, _ := relationNamed(ctx, &x.viewer, path); r != nil {
				refusePath(&x.viewer, x.place(i), schema.UnknownKey, fmt.Sprintf("names the relation %s alone; write which fields of %s, such as %[1]s.%[3]s", path, r.Door.Name, r.Door.Entity.Primary.Name))
				out[i] = catalog.AllFields // the call is refused for this reason alone
			}
			continue
		}
		r, limit := readPath(ctx, x, path, x.place(i), list)
		if r == nil {
			out[i] = catalog.AllFields
			continue
		}
		out[i] = r.Column
		if other == nil || slices.Contains(other, path) {
			_, rest, _ := strings.Cut(path, ".")
			r.fields, r.places, r.limit = append(r.fields, rest), append(r.places, x.place(i)), max(r.limit, limit)
		}
	}
	return out
}

// readPath returns the relation that a path begins with, and the limit in the path, or 0. It
// refuses a path without a relation and returns nil.
func readPath(ctx context.Context, x *execution, path string, place int, list []string) (*selectedRelation, int) {
	name, text, ok := cutLimit(path)
	if !ok {
		refusePath(&x.viewer, place, "syntax", fmt.Sprintf("%s is no path; write reviews.rating, or reviews(limit:3).rating", schema.Quoted(path)))
		return nil, 0
	}
	r := selectRelation(ctx, x, name, list)
	if r == nil {
		refuseRelation(ctx, &x.viewer, place, name)
		return nil, 0
	}
	if text == "" {
		return r, 0
	}
	limit, err := strconv.Atoi(text)
	switch {
	case !r.Link.Many:
		refusePath(&x.viewer, place, "limit", name+" leads to one row; leave the limit out")
	case err != nil || limit < 1 || limit > maxRelated:
		refusePath(&x.viewer, place, "limit", fmt.Sprintf("the limit of %s must be a whole number from 1 to %d; list %s for more", name, maxRelated, r.Door.Name))
	case r.limit != 0 && r.limit != limit:
		refusePath(&x.viewer, place, "limit", name+" has two limits; send one")
	}
	return r, limit
}

// selectRelation returns the relation called name, entered into x.relations, or nil if it does not
// exist for the caller.
func selectRelation(ctx context.Context, x *execution, name string, list []string) *selectedRelation {
	for _, r := range x.relations {
		if r.name == name {
			return r
		}
	}
	r, scope := relationNamed(ctx, &x.viewer, name)
	if r == nil {
		return nil
	}
	if a := x.op.reader.entity.Alias(name); a != nil && a.Relation == name {
		x.Answers(a)
	}
	own := &selectedRelation{Relation: r, scope: scope, name: name, hide: !slices.Contains(list, r.Column) && !slices.Contains(list, catalog.AllFields)}
	// Where a relation has the name of its field, the object takes the place of the key.
	if at := slices.Index(list, r.Column); name == r.Column && at >= 0 {
		refusePath(&x.viewer, x.place(at), "uniqueItems", fmt.Sprintf("names %s as a field and as a relation; write %[1]s.%s for its key", name, r.Each))
	}
	x.relations = append(x.relations, own)
	return own
}

// relationNamed returns the relation called name of the answered rows, with the caller's scope of
// the rows it leads to. It is nil if the relation does not exist for the caller: the surface cannot
// follow it, a collector closes the door it leads to or hides a field on the way, or the call is a
// command, which answers its own row alone.
func relationNamed(ctx context.Context, x *viewer, name string) (*catalog.Relation, *access.Scope) {
	e := x.op.reader.entity
	l := e.Relation(name)
	if l == nil {
		if a := e.Alias(name); a != nil && a.Relation == name && a.Field.Link != nil && !x.resultScope.Hides(a.Name) {
			l = a.Field.Link
		}
	}
	if l == nil || x.op.Kind == catalog.Command || x.resultScope.Hides(l.Field.Name) {
		return nil, nil
	}
	r := x.catalogView.RelationTo(e, l)
	if r == nil || !x.readable(x.resultScope, e.Property(r.Column)) {
		return nil, nil
	}
	door, op := x.host.catalog.Find(r.Door.Name, r.Operation)
	scope, err := x.scopeOf(ctx, x.host.doors.of(door), op)
	switch {
	case kiterror.CodeOf(err) == kiterror.InternalError:
		x.fail(err) // not a verdict on the caller: the collector itself failed
		return nil, nil
	case err != nil, l.Through == nil && !x.readable(scope, door.Entity.Property(r.Each)):
		return nil, nil
	}
	if _, ok := between(ctx, x, l); !ok {
		return nil, nil
	}
	return r, scope
}

// admitRelation judges the selected fields of a relation's rows, by the rules of their door.
func admitRelation(ctx context.Context, x *execution, r *selectedRelation) {
	levels := x.levels + 1
	if r.Link.Many {
		levels++
	}
	if levels > maxLevels {
		refusePath(&x.viewer, r.places[0], "maxLevels", fmt.Sprintf("leads more than %d levels deep, a relation to many counted twice; ask for less at a time", maxLevels))
		return
	}
	d, o := x.host.catalog.Find(r.Door.Name, r.Operation)
	door, op := x.host.doors.of(d), x.host.operations.of(o)
	y := &execution{viewer: viewer{
		host: x.host, call: &Call{Entity: door.Name, Operation: op.Name, Select: r.fields}, door: door, op: op, state: x.state, at: x.at, doorScope: r.scope, resultScope: r.scope,
		depth: x.depth, inside: x.inside, kept: x.kept, catalogView: x.catalogView,
	}, places: r.places, levels: levels}
	choose(ctx, y)
	for _, d := range y.details {
		x.refuse(d)
	}
	if x.verdict == nil {
		x.verdict = y.verdict
	}
	x.used = append(x.used, y.used...)
}

// refusePath refuses the name at a place of the caller's list of fields.
func refusePath(x *viewer, place int, code, message string) {
	at := fmt.Sprintf("/query/fields/%d", place)
	x.refuse(schema.Detail{Code: code, Message: message}.At(at))
}

// refuseRelation refuses a path of which the first name is no relation that exists for the caller.
func refuseRelation(ctx context.Context, x *viewer, place int, name string) {
	p := x.op.reader.entity.Property(name)
	switch {
	case x.op.Kind == catalog.Command:
		refusePath(x, place, schema.UnknownKey, fmt.Sprintf("leads through %s, and %s answers its own row alone; read relations with findById", schema.Quoted(name), x.op.Name))
	case p != nil && x.readable(x.resultScope, p) && p.Link == nil:
		refusePath(x, place, schema.UnknownKey, fmt.Sprintf("leads through %s, which is a field and is answered whole; write %[1]s", name))
	default:
		x.refuse(unknownRelation(ctx, x, place, name))
	}
}

// unknownRelation is the refusal of a relation that does not exist for the caller, at a place of the
// caller's list.
func unknownRelation(ctx context.Context, x *viewer, place int, name string) schema.Detail {
	instead := x.instead(name, func() (names []string) {
		for _, p := range x.op.reader.entity.Fields {
			if p.Link == nil {
				continue
			}
			if r, _ := relationNamed(ctx, x, p.Link.Name); r != nil {
				names = append(names, p.Link.Name)
			}
		}
		return names
	})
	return schema.Detail{Code: schema.UnknownKey, Message: fmt.Sprintf("names the relation %s, which %s does not have%s", schema.Quoted(name), x.op.reader.entity.Name, instead)}.At(fmt.Sprintf("/query/fields/%d", place))
}

// cutLimit returns the first name of a path and the limit behind it: reviews(limit:3).rating is
// reviews and 3. ok is false where a name is missing, or something else is in parentheses.
func cutLimit(path string) (name, limit string, ok bool) {
	head, rest, _ := strings.Cut(path, ".")
	name, arguments, called := strings.Cut(head, "(")
	if called {
		arguments, closed := strings.CutSuffix(arguments, ")")
		limit, called = strings.CutPrefix(arguments, "limit:")
		if limit = strings.TrimSpace(limit); !closed || !called || limit == "" {
			return "", "", false
		}
	}
	return name, limit, name != "" && rest != "" && !strings.HasPrefix(rest, ".") && !strings.HasSuffix(rest, ".")
}

// tooManyRelations is why a list of fields leads through too many relations, or "".
func tooManyRelations(list []string) string {
	seen := map[string]bool{}
	for _, path := range list {
		for at := range len(path) {
			if path[at] == '.' {
				seen[path[:at]] = true
			}
			if len(seen) > maxRelations {
				return fmt.Sprintf("leads through more than %d relations; ask for less at a time", maxRelations)
			}
		}
	}
	return ""
}

// text is the order as a list of sort keys, without a primary key that newOrder added to the
// most that there may be.
func (o *order) text() json.RawMessage {
	keys := o.keys[:min(len(o.keys), maxSortKeys)]
	names := make([]string, len(keys))
	for i, k := range keys {
		if names[i] = k.Field.Name; k.Desc {
			names[i] = "-" + names[i]
		}
	}
	return jsontext.AppendStrings(nil, names)
}

// A cursor is the place behind one row: base64url, without padding, of a version byte, the mark
// of the entity and the order it belongs to, and the JSON array of the row's values of that
// order. The mark recognises a cursor from elsewhere and is no seal: a cursor is not trusted,
// its values are judged like any a caller sends. It has only fields that the caller may read.
//
// A value that rows show as null, because the card does not carry it, is an object that its store reads. A long
// value is cut: ["its beginning"] of a text, [] of any other. The row's key, which is always whole, leads to the
// rest (see locate). A cursor of this host is accepted: both sides keep to maxCursor, and a row whose key alone is
// longer has no cursor.
const (
	cursorVersion = 1
	cursorHead    = 1 + 8
	maxCursor     = 64 << 10 // of its text
	maxCarried    = 2 << 10  // bytes of a value that a cursor has whole
	maxBeginning  = 256      // code points of a longer text
)

// cursor is the cursor of a row with these values of the order's fields, or "".
func (o *order) cursor(values json.RawMessage) string {
	if len(values) > maxCarried && o.endsInKey() {
		values = o.carried(values)
	}
	if base64.RawURLEncoding.EncodedLen(cursorHead+len(values)) > maxCursor {
		return ""
	}
	var room [256]byte
	raw := append(room[:0], cursorVersion)
	raw = binary.BigEndian.AppendUint64(raw, o.mark)
	raw = append(raw, values...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// endsInKey reports whether the last field is the primary key, which leads to the rest of a row. An
// order of groups does not end in a key.
func (o *order) endsInKey() bool {
	p := o.keys[len(o.keys)-1].Field
	return p == p.Owner.Primary
}

// carried is values with the long ones cut, the key aside.
func (o *order) carried(values json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, v := range jsontext.Elements(values) {
		out = jsontext.Comma(out)
		switch {
		case len(v) <= maxCarried || i == len(o.keys)-1:
			out = append(out, v...)
		case o.keys[i].Field.Kind == schema.KindString && jsontext.KindOf(v) == jsontext.String:
			out = append(jsontext.AppendString(append(out, '['), beginning(jsontext.Unquote(v))), ']')
		default:
			out = append(out, "[]"...)
		}
	}
	return append(out, ']')
}

// beginning is the first maxBeginning code points of a text.
func beginning(text string) string {
	n := 0
	for at := range text {
		if n++; n > maxBeginning {
			return text[:at]
		}
	}
	return text
}

// markOf is the mark of an entity's order: FNV-1a, which is the same everywhere
// and for ever.
func markOf(e *schema.Entity, keys []SortKey) uint64 {
	h := uint64(14695981039346656037)
	add := func(s string) {
		for i := 0; i < len(s); i++ {
			h = (h ^ uint64(s[i])) * 1099511628211
		}
		h = (h ^ 0xff) * 1099511628211
	}
	add(e.Key)
	for _, k := range keys {
		add(k.Field.Name)
		if k.Desc {
			add("-")
		}
	}
	return h
}

// values are the values of a cursor; ok is false for a text that cursor did not write.
func (o *order) values(text string) (values []json.RawMessage, ok bool) {
	if len(text) > maxCursor {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) < cursorHead || raw[0] != cursorVersion || binary.BigEndian.Uint64(raw[1:]) != o.mark {
		return nil, false
	}
	array := json.RawMessage(raw[cursorHead:])
	if jsontext.KindOf(array) != jsontext.Array || jsontext.Check(array) != nil {
		return nil, false
	}
	values = make([]json.RawMessage, 0, len(o.keys))
	for i, v := range jsontext.Elements(array) {
		if i == len(o.keys) {
			return nil, false
		}
		switch p := o.keys[i].Field; {
		case p == p.Owner.Primary && (jsontext.IsNull(v) || isCut(v)):
			return nil, false
		case jsontext.IsNull(v):
			values = append(values, json.RawMessage("null"))
		case jsontext.KindOf(v) == jsontext.Object: // as the store has it
			values = append(values, v)
		case isCut(v):
			if !o.endsInKey() {
				return nil, false
			}
			if _, text := cutText(v); !(text && p.Kind == schema.KindString || string(v) == "[]") {
				return nil, false
			}
			values = append(values, v)
		default:
			v, why := p.KeyText(v)
			if why != "" {
				return nil, false
			}
			values = append(values, v)
		}
	}
	return values, len(values) == len(o.keys)
}

// isCut says whether a cursor's value was cut.
func isCut(v json.RawMessage) bool { return jsontext.KindOf(v) == jsontext.Array }

// cutText is the beginning in place of a long text; ok is false for any other value.
func cutText(v json.RawMessage) (text string, ok bool) {
	n := 0
	for _, item := range jsontext.Elements(v) {
		if n++; n > 1 || jsontext.KindOf(item) != jsontext.String {
			return "", false
		}
		text, ok = jsontext.Unquote(item), true
	}
	return text, ok
}

// isAtCursor reports whether a row with these values is still at the place of a cursor.
func isAtCursor(from, row []json.RawMessage) bool {
	for i, v := range from {
		switch text, cut := cutText(v); {
		case !isCut(v) && string(v) != string(row[i]):
			return false
		case cut && (jsontext.KindOf(row[i]) != jsontext.String || !strings.HasPrefix(jsontext.Unquote(row[i]), text)):
			return false
		}
	}
	return true
}

// errCursorGone is the error of a cursor whose place is not known.
func errCursorGone(backward bool) error {
	name := "after"
	if backward {
		name = "before"
	}
	const message = "leads to a row that is gone or has changed, and its value was too long to stand in the cursor; start at the beginning, or sort by another field"
	return kiterror.Invalid(name+" "+message, schema.Detail{Path: name, Pointer: "/query/" + name, Code: "cursor", Message: message})
}

// order is how a list is sorted, and the mark that its cursors carry.
type order struct {
	keys []SortKey
	mark uint64
	// foreign: the host of the list makes the cursors, and this host does not read them.
	foreign bool
	// merged: this host sorts the rows, not their own place.
	merged bool
}

// newOrder ends keys with the primary key, so that they define one order of the rows.
func newOrder(e *schema.Entity, keys []SortKey) order {
	if len(keys) == 0 || keys[len(keys)-1].Field != e.Primary {
		// In the direction of the last key: an index on that field ends in the primary key, and
		// has this order in one of its two directions (docs/decisions/filters-and-paging.md).
		keys = append(keys, SortKey{Field: e.Primary, Desc: len(keys) > 0 && keys[len(keys)-1].Desc})
	}
	return order{keys: keys, mark: markOf(e, keys)}
}

// maxSortKeys is how many keys an order has at most, the primary key aside.
const maxSortKeys = 8
