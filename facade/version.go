package facade

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// ETag is the name by which a row's version is asked for among its fields, where no
// field of its card has it: fields=id,title,etag. It is there for who names it alone.
const ETag = "etag"

// AllFields stands for every field the caller may read among the names of fields:
// fields=*,etag is a whole row with its version.
const AllFields = "*"

// Precondition is what has to hold of the row that an update or a delete is about.
// A version is the text that [ETag] gives, or that of a REST ETag without its quotes;
// "*" is any.
type Precondition struct {
	Match     []string // the row's version is among them; nil: whatever it is
	NoneMatch []string // the row's version is not among them
}

// IfMatch is the precondition that the row is still one of these versions.
func IfMatch(versions ...string) *Precondition {
	return &Precondition{Match: append([]string{}, versions...)}
}

func (p *Precondition) holds(version string) bool {
	among := func(list []string) bool {
		return slices.ContainsFunc(list, func(v string) bool {
			v, _, _ = strings.Cut(v, ".") // behind a dot an ETag goes on with what is computed
			return v == "*" || v == version && v != ""
		})
	}
	return (p.Match == nil || among(p.Match)) && !among(p.NoneMatch)
}

// any says whether the precondition holds for every row, whatever its version.
func (p *Precondition) any() bool {
	return len(p.NoneMatch) == 0 && (p.Match == nil || slices.Contains(p.Match, "*"))
}

// matchJSON is Match as query.ifMatch has it.
func (p *Precondition) matchJSON() json.RawMessage {
	if len(p.Match) == 1 {
		return jsontext.Quote(p.Match[0])
	}
	list := []byte{'['}
	for i, v := range p.Match {
		if i > 0 {
			list = append(list, ',')
		}
		list = jsontext.AppendString(list, v)
	}
	return append(list, ']')
}

// HasETag says whether the rows of the door tell their version among their fields.
func (d *Door) HasETag() bool { return d.reader != nil && d.reader.versioned }

// asksVersion says whether a call may ask for the versions of rows.
func (t *trip) asksVersion() bool {
	c := t.call
	return c.Version || slices.Contains(c.Select, ETag) || bytes.Contains(c.Invocation.Query, []byte(ETag))
}

// versionScope is what the caller sees of the rows whose versions are told or held
// to: that of findById, whatever operation asks, so that one row has one version on
// every way to it. It is made of the fields the caller may read and so says nothing
// of the others (decision 225). nil: they may not read the rows.
func (t *trip) versionScope(ctx context.Context) (*Scope, error) {
	door := t.door
	if t.op.outDoor != nil {
		door = t.op.outDoor
	}
	if door.Entity == nil || door.collector == nil {
		return open, nil
	}
	op := door.Operation("findById")
	if op == nil || !op.Builtin {
		op = door.reading()
	}
	if op == t.op && !t.inside {
		return t.see, nil
	}
	s, err := door.collector.Scope(ctx, t.state, door, op)
	switch {
	case err == nil:
		return &s, nil
	case kiterror.CodeOf(err) == kiterror.InternalError:
		return nil, err
	case t.inside: // the author's own code reads what its caller may not
		return open, nil
	}
	return nil, nil
}

// fields of an entity that a version is made of, for a caller who sees see.
func (s *Scope) versioned(e *schema.Entity) (fields []*schema.Property) {
	for _, p := range e.Fields {
		if p.Stored && s.Readable(p) {
			fields = append(fields, p)
		}
	}
	return fields
}

// version is the version of a row: 128 bits of the hash over the fields it is made
// of, as they leave. encoded says that they are in that form already. "" where the
// row lacks one of them.
func (f *Facade) version(row Row, fields []*schema.Property, encoded bool) (string, error) {
	text := []byte{'{'}
	for _, p := range fields {
		value := row.Get(p.Name)
		if value == nil {
			return "", nil
		}
		if p.Axes.Out.Name != "" && !encoded {
			var err error
			if value, err = f.outward(p, value); err != nil {
				return "", err
			}
		}
		if len(text) > 1 {
			text = append(text, ',')
		}
		text = append(append(jsontext.AppendString(text, p.Name), ':'), value...)
	}
	sum := sha256.Sum256(append(text, '}'))
	return base64.RawURLEncoding.EncodeToString(sum[:16]), nil
}

// versions are those of rows, as the selection that read them has it. Those of a
// remote come with the rows.
func (t *trip) versions(rows *Rows) ([]string, error) {
	out := make([]string, rows.Len())
	for i := range out {
		if t.away() {
			out[i] = jsontext.Unquote(rows.Row(i).Get(ETag))
			continue
		}
		if t.sel.version == nil {
			continue
		}
		var err error
		if out[i], err = t.facade.version(rows.Row(i), t.sel.version, t.sel.encoded); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// readIfMatch reads query.ifMatch: a version, or a list of them. A null is refused:
// who sends one means to hold the row to something.
func (t *trip) readIfMatch(value json.RawMessage) *Precondition {
	p := &Precondition{}
	add := func(v json.RawMessage) bool {
		if jsontext.KindOf(v) == jsontext.String {
			p.Match = append(p.Match, jsontext.Unquote(v))
			return true
		}
		return false
	}
	ok := add(value)
	if jsontext.KindOf(value) == jsontext.Array {
		for _, v := range jsontext.Elements(value) {
			if ok = add(v); !ok {
				break
			}
		}
	}
	if !ok {
		t.refuseQuery("ifMatch", "type", "must be the version of the row, as its etag gives it, or a list of such texts")
	}
	return p
}

// admitIf finds out what the call holds its row to: what the caller says, or, of the
// author's own code within a handler that stands before the operation, what the
// handler's caller said.
func (t *trip) admitIf(ctx context.Context) error {
	if own := t.call.If; own != nil {
		if t.op.builtin == nil || t.op.Name != "update" && t.op.Name != "delete" {
			return kiterror.Errorf(kiterror.PreconditionFailed, "%s holds no row to a version; leave If-Match out", t.where())
		}
		if t.cond != nil {
			t.refuseQuery("ifMatch", "exclusive", "stands in the query and beside the call; send one of the two")
		}
		t.cond = own
	}
	if t.cond == nil && t.lent.forRow(t) {
		t.cond = t.lent.cond
	}
	if t.cond == nil || t.cond.any() {
		return nil
	}
	if t.asVersion == nil {
		var err error
		if t.asVersion, err = t.versionScope(ctx); err != nil {
			return err
		}
	}
	switch see := t.asVersion; {
	case see == nil:
		return kiterror.Errorf(kiterror.PreconditionFailed, "you may not read the row, so that you hold no version of it; leave If-Match out")
	case t.away() && (len(see.Hide) > 0 || t.cond.NoneMatch != nil || !t.op.Takes("ifMatch")):
		return kiterror.Errorf(kiterror.NotImplemented, "%s cannot hold the row to a version where it runs; leave If-Match and If-None-Match out", t.where())
	}
	return nil
}

// judgeVersion fails where the row as it stands is not the one the call is about.
func (t *trip) judgeVersion(current Row) error {
	if t.cond.any() {
		return nil
	}
	version, err := t.facade.version(current, t.asVersion.versioned(t.door.Entity), false)
	if err == nil && !t.cond.holds(version) {
		err = kiterror.Errorf(kiterror.PreconditionFailed, "the row is not the one named; read it again and send its ETag")
	}
	return err
}

// writable is which rows a write reaches: with a precondition only those that the
// caller may read as well.
func (t *trip) writable() *Filter {
	if t.cond == nil || t.asVersion == nil || t.inside {
		return t.see.Rows
	}
	if t.asVersion == t.see {
		return t.see.Rows
	}
	return filter.Both(t.see.Rows, t.asVersion.Rows)
}

// lent is the precondition of a call that the author's handler answers, on its way to
// the write that the handler makes inside: the first one of that row is held to it.
type lent struct {
	cond *Precondition
	door *Door
	id   json.RawMessage
	used atomic.Bool
}

func (l *lent) forRow(t *trip) bool {
	return l != nil && !l.used.Load() && t.inside && l.door == t.door && t.op.builtin != nil && (t.op.Name == "update" || t.op.Name == "delete") && bytes.Equal(l.id, t.id)
}

// beforeHandler holds the row to the caller's precondition before the author's handler
// does anything, and lends it to the write the handler makes. there is false where
// there is no such row.
func (t *trip) beforeHandler(ctx context.Context) (l *lent, there bool, err error) {
	if t.cond == nil {
		return nil, true, nil
	}
	terms := t.terms()
	rows, err := t.store().Update(ctx, t.door.Entity, t.id, t.writable(), nil, nil, terms.Read)
	if err != nil || rows.Len() == 0 {
		return nil, false, err
	}
	return &lent{cond: t.cond, door: t.door, id: t.id}, true, t.judgeVersion(rows.Row(0))
}
