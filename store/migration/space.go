package migration

import (
	"slices"
	"strconv"
	"strings"
)

// thing is a table, or a column of one.
type thing struct {
	name string // in the database
	// called are its names in the ledger, the oldest first. Without any it has the name that gave
	// it its own.
	called []string
	at     string
	// lasting is its name in the database before it got another one there; "": it never did. moved is
	// the one before a change of this run.
	lasting, moved string
	// noted is its name in the ledger: another one than name where an older program has renamed
	// the table or column itself.
	noted string
	// renamed is the name that it had before the renames of this run; "" for no rename.
	renamed string
	// unwritten says that the ledger needs an entry of it that no step writes.
	unwritten bool
	// columns are the columns of a table.
	columns space
}

// label is the name of the thing for a reader: the cards' name if the ledger has it.
func (x *thing) label() string {
	if n := len(x.called); n > 0 {
		return x.called[n-1]
	}
	return x.name
}

// had reports whether the ledger has the name for the thing.
func (x *thing) had(name string) bool { return slices.Contains(x.called, name) }

// call gives the thing another name. One that it had before becomes its last.
func (x *thing) call(from, to string) {
	if len(x.called) == 0 {
		x.called = []string{from}
	}
	x.called = append(slices.DeleteFunc(slices.Clone(x.called), func(name string) bool { return name == to }), to)
	if x.renamed == "" {
		x.renamed = from
	}
}

// space is all tables of a database, or all columns of a table, with their names.
type space struct {
	plain func(name string) string // the own name of a new thing
	all   []*thing
	// wanted are the things that the cards describe, by their names there.
	wanted map[string]*thing
	// gone are the things of the ledger that the database does not have.
	gone []string
}

// learn gives the things their names of the ledger; key is the thing's name in an entry, "" for
// an entry of something else. A thing that is missing is looked for under the names that cards
// gave it: an older program renames tables and columns themselves.
func (s *space) learn(ledger []Called, key func(Called) string) {
	var missing []Called
	take := func(x *thing, c Called) { x.called, x.at, x.lasting, x.noted = c.Names, c.At, c.Lasting, key(c) }
	for _, c := range ledger {
		if name := key(c); name == "" || len(c.Names) == 0 {
			continue
		} else if x := s.own(name); x != nil {
			take(x, c)
		} else {
			missing = append(missing, c)
			s.gone = append(s.gone, name)
		}
	}
	for _, c := range missing {
		for _, name := range slices.Backward(c.Names) {
			if x := s.own(s.plain(name)); x != nil && x.called == nil {
				take(x, c)
				x.unwritten = true
				break
			}
		}
	}
}

// own returns the thing with this name in the database, or nil.
func (s *space) own(name string) *thing {
	for _, x := range s.all {
		if x.name == name {
			return x
		}
	}
	return nil
}

// find returns the thing that a name leads to: one that the cards describe, one that has the name
// or had it, or a new one.
func (s *space) find(name string) *thing {
	if x := s.wanted[name]; x != nil {
		return x
	}
	if x := s.now(name); x != nil {
		return x
	}
	for _, x := range s.all {
		if x.had(name) {
			return x
		}
	}
	return &thing{name: s.plain(name)}
}

// now returns the thing that has the name now, or nil. The ledger takes precedence over a thing
// that it does not list.
func (s *space) now(name string) *thing {
	for _, x := range s.all {
		if x.called != nil && x.label() == name {
			return x
		}
	}
	if x := s.own(s.plain(name)); x != nil && x.called == nil {
		return x
	}
	return nil
}

// once returns a thing that had the name before and that the cards do not describe, or nil.
func (s *space) once(name string) *thing {
	for _, x := range s.all {
		if x.had(name) && x.label() != name && !s.uses(x) {
			return x
		}
	}
	return nil
}

// uses reports whether the cards describe the thing.
func (s *space) uses(x *thing) bool {
	for _, w := range s.wanted {
		if w == x {
			return true
		}
	}
	return false
}

// unknown lists the things that the cards do not describe.
func (s *space) unknown() (names []string) {
	for _, x := range s.all {
		if !s.uses(x) {
			names = append(names, x.label())
		}
	}
	return names
}

// settle finds the thing of each name of the cards: one that has the name now, then one that had
// it, then a new one. missing is called before a new one is made.
func (s *space) settle(names []string, missing func(name string)) {
	s.wanted = map[string]*thing{}
	for _, find := range []func(string) *thing{s.now, s.once} {
		for _, name := range names {
			if x := s.wanted[name]; x == nil {
				if x = find(name); x != nil {
					s.wanted[name] = x
				}
			}
		}
	}
	var fresh []string
	for _, name := range names {
		if s.wanted[name] == nil {
			missing(name)
			fresh = append(fresh, name)
		}
	}
	for _, name := range fresh {
		s.wanted[name] = s.make(name)
	}
}

// make adds a thing for a name: under the plain name, or with a number after it where another thing
// has that. The ledger may still have an entry of a thing that is gone.
func (s *space) make(name string) *thing {
	own := s.plain(name)
	for n := 2; slices.ContainsFunc(s.all, func(x *thing) bool { return strings.EqualFold(x.name, own) }); n++ {
		own = s.plain(name + "_" + strconv.Itoa(n))
	}
	x := &thing{name: own}
	if own != s.plain(name) || slices.Contains(s.gone, own) {
		x.called, x.unwritten = []string{name}, true
	}
	s.all = append(s.all, x)
	return x
}

// line is one rename of frond.yaml.
type line struct{ from, to string }

// before lists the names that lead to a name by one line or more, the nearest first.
func before(lines []line, name string) (names []string) {
	for range lines { // each line is followed once at most
		for _, l := range lines {
			if l.to == name && !slices.Contains(names, l.from) {
				names = append(names, l.from)
				name = l.from
				break
			}
		}
	}
	return names
}

// follow applies lines to the things that have a name to be replaced. A thing that has had it
// before its name of now is done with. both decides where the new name has a thing already:
// whether the older one takes it.
func (s *space) follow(lines []line, both func(l line, from, to *thing) (bool, error)) error {
	done := make([]bool, len(lines))
	for range lines { // a chain may be written in any order
		for i, l := range lines {
			from, to := s.now(l.from), s.now(l.to)
			if done[i] || from == nil || to != nil && to.had(l.from) {
				continue
			}
			if done[i] = true; to != nil {
				if take, err := both(l, from, to); err != nil {
					return err
				} else if !take {
					continue
				}
			}
			from.call(l.from, l.to)
		}
	}
	return nil
}

// remember notes the names before a rename that the ledger does not have: an older program has
// renamed the thing itself, or it was made after the rename.
func (s *space) remember(lines []line) {
	for name, x := range s.wanted {
		for _, former := range before(lines, name) {
			if x.called != nil && x.label() != name || s.now(former) != nil || slices.ContainsFunc(s.all, func(o *thing) bool { return o.had(former) }) {
				continue
			}
			if x.called == nil {
				x.called = []string{name}
			}
			x.called, x.unwritten = append([]string{former}, x.called...), true
		}
	}
}
