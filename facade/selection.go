package facade

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// selection is what one choice of fields takes: what is read, and what leaves. It
// is made once per choice and shared.
type selection struct {
	stored   *Layout            // what the store is asked for: what leaves, and what presenters need
	props    []*schema.Property // of its columns
	out      *Layout            // what leaves; the same layout where rows leave as they were read
	columns  []column           // of out, where they do not
	computed []*presenter       // the computed fields among them
	absent   []int              // the columns of stored whose null leaves as absence

	// version are the fields that the versions of rows are made of, where those are
	// asked for; encoded says that they are read as they leave.
	version []*schema.Property
	encoded bool
	etag    bool // the version leaves as the last column

	last atomic.Pointer[selection] // for rows of a remote; see over
}

// column says where a column of the answer comes from: a stored one, through a
// conversion perhaps, or the i-th presenter.
type column struct {
	from     int // of selection.stored; -1: computed
	encode   *schema.Property
	computed int    // of selection.computed; -1: the version
	renamed  string // the field's name, where the column has an old one; else ""
	absent   bool   // null leaves as absence
}

// rewrites reports whether the rows leave in another form than they were read in: with other
// columns, or without the null of a field that may be absent.
func (s *selection) rewrites(rows *Rows) bool {
	if s.out != s.stored {
		return true
	}
	if len(s.absent) == 0 {
		return false
	}
	for i := range rows.Len() {
		row := rows.Row(i)
		for _, at := range s.absent {
			if isNull(row.At(at)) {
				return true
			}
		}
	}
	return false
}

// isNull reports whether the text of a column is null.
func isNull(value json.RawMessage) bool { return len(value) == 4 && value[0] == 'n' }

// reader knows what can be read of an entity, a view or a door's rows, and keeps
// the selections it made.
type reader struct {
	entity     *schema.Entity
	presenters []*presenter
	versioned  bool // rows have their version under the name etag

	mu   sync.RWMutex
	kept map[string]*selection
}

// maxKept is how many selections a reader keeps: callers choose freely among
// them, so there has to be an end. One more is made and forgotten.
const maxKept = 512

// boundarySide is the side of the boundary that a selection is for.
type boundarySide byte

const (
	outside boundarySide = iota // closed fields never leave, encode applies
	within                      // the author's own code: everything as it is kept
	already                     // the rows have crossed once; encode does not apply again
	asKept                      // the caller's fields for Go code; encode does not apply yet
)

// pick makes the selection of the call: the fields of names (nil: all) that are also in
// more (nil: all). A name that does not exist for the caller is refused.
func (x *execution) pick(names, more []string) *selection {
	side := outside
	switch {
	case x.inside:
		side = within
	case x.kept:
		side = asKept
	}
	return x.pickOn(side, x.op.reader, x.resultScope, names, more)
}

// The marks of a field in a selection's key.
const (
	exists = 1 << iota // for this caller
	asked
	named  // in the list that is being read
	hashed // part of the version
	hooked // read for the hooks after a command, or for facts
)

// pickOn is pick for one side of the boundary. The choice is written down as one byte of
// marks for each field, which is the key that a reader keeps its selections by: a choice
// that was made before costs a look-up and no allocation.
func (x *execution) pickOn(side boundarySide, r *reader, scope *Scope, lists ...[]string) *selection {
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
		case side != within && c.hidden(scope):
			marks = append(marks, 0)
		case side == within && free:
			marks = append(marks, exists) // a presenter that reads its own rows would never end
		default:
			marks = append(marks, exists|asked)
		}
	}
	for _, a := range r.entity.Aliases {
		mark := byte(0)
		if x.answersAs(side, scope, a) && !a.Past(x.now()) {
			mark = exists
			// The author's own code gets an old name only where it names it.
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
			if name == AllFields {
				for j := range r.fieldCount() {
					if marks[1+j]&exists != 0 {
						marks[1+j] |= named
					}
				}
				continue
			}
			at := r.index(name)
			if at < 0 || marks[1+at]&exists == 0 {
				if a := r.alias(at); a != nil && x.answersAs(side, scope, a) {
					x.gone(a)
					continue
				}
				x.unknownField(r, marks[1:], name, i)
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
			if p.Stored && x.versionScope.Readable(p) {
				marks[1+p.Index] |= hashed
			}
		}
	}
	if x.op.hooks != nil || x.op.emits {
		for _, p := range r.entity.Fields {
			if p.Stored {
				marks[1+p.Index] |= hooked
			}
		}
	}
	return r.selection(marks)
}

// answersAs reports whether the field of an old name exists for the caller.
func (x *execution) answersAs(side boundarySide, scope *Scope, a *schema.FieldAlias) bool {
	return a.Field.Stored && (side == within || scope.Readable(a.Field) && !scope.hides(a.Name))
}

// unknownField refuses the i-th name of a list of fields.
func (x *execution) unknownField(r *reader, marks []byte, name string, i int) {
	instead := x.instead(name, func() (names []string) {
		for j, m := range marks {
			if m&exists != 0 {
				names = append(names, r.name(j))
			}
		}
		return names
	})
	message := fmt.Sprintf("names %s, which %s does not have%s", kiterror.Quoted(name), r.entity.Name, instead)
	if strings.Contains(name, ".") { // choose reads the paths of calls
		message = fmt.Sprintf("names %s, and events show the fields of the row itself; leave it out", kiterror.Quoted(name))
	}
	x.refuse(kiterror.UnknownKey(fmt.Sprintf("/query/fields/%d", x.place(i)), message))
}

// fieldCount is how many fields there are, stored and computed.
func (r *reader) fieldCount() int { return len(r.entity.Fields) + len(r.presenters) }

// index is the place of a field among the stored ones and the computed ones behind them.
func (r *reader) index(name string) int {
	if p := r.entity.Property(name); p != nil {
		return p.Index
	}
	for i, c := range r.presenters {
		if c.Name == name {
			return len(r.entity.Fields) + i
		}
	}
	for i, a := range r.entity.Aliases {
		if a.Name == name {
			return r.fieldCount() + i
		}
	}
	if r.versioned && name == ETag {
		return r.fieldCount() + len(r.entity.Aliases)
	}
	return -1
}

// alias is the old name at a place, as index counts them, or nil.
func (r *reader) alias(at int) *schema.FieldAlias {
	if at -= r.fieldCount(); at >= 0 && at < len(r.entity.Aliases) {
		return r.entity.Aliases[at]
	}
	return nil
}

// name is the name of the i-th field, as index counts them.
func (r *reader) name(i int) string {
	switch n := len(r.entity.Fields); {
	case i == r.fieldCount()+len(r.entity.Aliases):
		return ETag
	case i >= r.fieldCount():
		return r.alias(i).Name
	case i >= n:
		return r.presenters[i-n].Name
	}
	return r.entity.Fields[i].Name
}

// selection is the selection with these marks, made now or kept from before.
func (r *reader) selection(marks []byte) *selection {
	r.mu.RLock()
	s := r.kept[string(marks)]
	r.mu.RUnlock()
	if s != nil {
		return s
	}
	s = r.build(boundarySide(marks[0]), marks[1:])
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.kept[string(marks)]; old != nil {
		return old
	}
	if r.kept == nil {
		r.kept = map[string]*selection{}
	}
	if len(r.kept) < maxKept {
		r.kept[string(marks)] = s
	}
	return s
}

// build makes the selection of a choice: which columns are read, for the answer, for
// versions and for presenters, and which of them leave.
func (r *reader) build(side boundarySide, marks []byte) *selection {
	s := &selection{}
	fields := r.entity.Fields
	read := make([]bool, len(fields))
	for i := range fields {
		read[i] = marks[i]&(asked|hashed|hooked) != 0
		if marks[i]&hashed != 0 {
			s.version = append(s.version, fields[i])
		}
	}
	s.encoded = side == already
	s.etag = r.versioned && marks[len(marks)-1]&asked != 0
	for i, c := range r.presenters {
		if marks[len(fields)+i]&asked == 0 {
			continue
		}
		s.computed = append(s.computed, c)
		for j, p := range fields {
			// What a presenter names it gets, for its author named it; one that names
			// nothing gets what the caller may read.
			if c.needs(p) || c.Needs == nil && marks[j]&exists != 0 {
				read[j] = true
			}
		}
	}
	aliases := marks[r.fieldCount():][:len(r.entity.Aliases)]
	for i, a := range r.entity.Aliases {
		read[a.Field.Index] = read[a.Field.Index] || aliases[i]&asked != 0
	}
	var stored, out []string
	same := len(s.computed) == 0
	for i, p := range fields {
		if !read[i] {
			continue
		}
		at := len(stored)
		stored = append(stored, p.Name)
		s.props = append(s.props, p)
		if marks[i]&asked == 0 {
			same = false
			continue
		}
		c := column{from: at, absent: p.MayBeAbsent() && side != within && side != asKept}
		if c.absent {
			s.absent = append(s.absent, at)
		}
		if p.Axes.Out.Name != "" && side == outside {
			c.encode, same = p, false
		}
		out = append(out, p.Name)
		s.columns = append(s.columns, c)
	}
	for i, c := range s.computed {
		out = append(out, c.Name)
		s.columns = append(s.columns, column{from: -1, computed: i})
	}
	for i, a := range r.entity.Aliases {
		if aliases[i]&asked == 0 {
			continue
		}
		p := a.Field
		c := column{from: slices.Index(stored, p.Name), renamed: p.Name, absent: p.MayBeAbsent() && side != within && side != asKept}
		if p.Axes.Out.Name != "" && side == outside {
			c.encode = p
		}
		out = append(out, a.Name)
		s.columns = append(s.columns, c)
		same = false
	}
	if s.etag {
		out = append(out, ETag)
		s.columns = append(s.columns, column{from: -1, computed: -1})
		same = false
	}
	s.stored = NewLayout(stored)
	if s.out = s.stored; !same {
		s.out = NewLayout(out)
	}
	return s
}
