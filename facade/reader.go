package facade

import (
	"encoding/json"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
)

// selection has the columns of one choice of fields: those that are read, and those that leave. It
// is made once per choice and shared.
type selection struct {
	stored   *rows.Layout        // of the store: the columns that leave, and those that presenters need
	props    []*schema.Property  // of its columns
	out      *rows.Layout        // what leaves; the same layout where rows leave as they were read
	columns  []column            // of out, where they do not
	computed []*access.Presenter // the computed fields among them
	absent   []int               // the columns of stored whose null leaves as absence

	// version are the fields that the versions of rows are made of, where those are
	// asked for; encoded says that they are read as they leave. omitted is the end of these versions.
	version []*schema.Property
	omitted string
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
func (s *selection) rewrites(found *rows.Rows) bool {
	if s.out != s.stored {
		return true
	}
	if len(s.absent) == 0 {
		return false
	}
	for i := range found.Len() {
		row := found.Row(i)
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

// reader knows the readable fields of an entity, a view or a door's rows, and keeps
// the selections it made.
type reader struct {
	entity     *schema.Entity
	presenters []*access.Presenter
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

// The marks of a field in a selection's key.
const (
	exists = 1 << iota // for this caller
	asked
	named   // in the list that is being read
	hashed  // part of the version
	hooked  // read for the hooks after a command, or for facts
	skipped // part of the version of findById, and not readable here
)

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
	if r.versioned && name == catalog.ETag {
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
		return catalog.ETag
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
		if marks[i]&skipped != 0 {
			s.omitted = appendOmitted(s.omitted, fields[i])
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
			// A presenter gets the fields that it names, or without names the fields that the
			// caller may read.
			if c.Reads(p) || c.Needs == nil && marks[j]&exists != 0 {
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
		out = append(out, catalog.ETag)
		s.columns = append(s.columns, column{from: -1, computed: -1})
		same = false
	}
	s.stored = rows.NewLayout(stored)
	if s.out = s.stored; !same {
		s.out = rows.NewLayout(out)
	}
	return s
}

// narrowed is rows of a remote with the columns that the presenters here may read, where
// there are such presenters: a remote may answer more than was asked for.
func (s *selection) narrowed(found *rows.Rows) *rows.Rows {
	here := false
	for _, c := range s.computed {
		here = here || !c.Elsewhere
	}
	if !here {
		return found
	}
	var names []string
	for _, name := range found.Layout().Fields {
		if name == catalog.ETag && s.stored.Index(name) < 0 || s.stored.Index(name) >= 0 || slices.ContainsFunc(s.computed, func(c *access.Presenter) bool { return c.Elsewhere && c.Name == name }) {
			names = append(names, name)
		}
	}
	if len(names) == len(found.Layout().Fields) {
		return found
	}
	out := rows.New(rows.NewLayout(names), found.Len())
	for i := range found.Len() {
		out.CopyRow(found.Row(i))
	}
	return out
}

// over is the selection for rows with another layout than it asked for, by the names of their
// columns. Rows without further fields are not rewritten.
func (s *selection) over(layout *rows.Layout) *selection {
	if last := s.last.Load(); last != nil && slices.Equal(last.stored.Fields, layout.Fields) {
		return last
	}
	own := &selection{stored: layout}
	var names []string
	same := true
	for i, c := range s.columns {
		name := s.out.Fields[i]
		at := layout.Index(name)
		if c.renamed != "" {
			at = layout.Index(c.renamed)
		}
		switch {
		case c.from < 0 && c.computed < 0:
			own.columns = append(own.columns, c)
			own.etag, same = true, false
		case c.from < 0 && (at < 0 || !s.computed[c.computed].Elsewhere):
			own.computed = append(own.computed, s.computed[c.computed])
			own.columns = append(own.columns, column{from: -1, computed: len(own.computed) - 1})
			same = false
		case at < 0:
			continue // the remote left it out
		default:
			own.columns = append(own.columns, column{from: at, absent: c.absent})
			if c.absent {
				own.absent = append(own.absent, at)
			}
			same = same && c.renamed == ""
		}
		names = append(names, name)
	}
	own.out = layout
	if !same || len(names) != len(layout.Fields) {
		own.out = rows.NewLayout(names)
	}
	s.last.Store(own)
	return own
}
