// Package readset records the rows that the calls of a live query read, so that its answer is made
// again when they change. It also makes reads of several executions one statement.
//
//	product: any row        a list, a count, a filter through a relation
//	order: 7, 12            rows that were read by their primary keys alone
//
// A change is about a row before and after it, and so by its key: a row that comes into a list
// is one of "any row".
package readset

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/schema"
)

// maxKeys is how many keys of an entity are kept; beyond it any row may have been read.
const maxKeys = 1000

// Set holds the read rows and lists. The zero Set is empty. It may be used from many goroutines.
type Set struct {
	mu       sync.Mutex
	entities map[*schema.Entity]map[string]struct{} // the keys; nil: any row
	other    string                                 // something that is no entity; "": nothing
}

// anyRow adds all rows of an entity.
func (s *Set) anyRow(e *schema.Entity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.entities[e] = nil
}

// addRows adds the rows of an entity that have these primary keys, JSON texts.
func (s *Set) addRows(e *schema.Entity, keys ...json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	known, found := s.entities[e]
	switch {
	case found && known == nil:
		return
	case len(known)+len(keys) > maxKeys:
		s.entities[e] = nil
		return
	case known == nil:
		known = map[string]struct{}{}
		s.entities[e] = known
	}
	for _, key := range keys {
		known[text(e, key)] = struct{}{}
	}
}

// noRows adds a read that is no row of an entity, by the name of a door.
func (s *Set) noRows(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = name
}

func (s *Set) begin() {
	if s.entities == nil {
		s.entities = map[*schema.Entity]map[string]struct{}{}
	}
}

// meeting adds the rows of an entity that meet a filter: those that it names by their primary
// keys, or any; and the rows that it reaches through relations.
func (s *Set) meeting(e *schema.Entity, where *filter.Filter) {
	s.related(where)
	if keys := keysIn(where, e.Primary); keys != nil {
		s.addRows(e, keys...)
		return
	}
	s.anyRow(e)
}

// related adds the rows that a filter reaches through relations.
func (s *Set) related(where *filter.Filter) {
	if where == nil {
		return
	}
	if where = where.Hops(); where.Link != nil {
		s.anyRow(where.Link.Target)
	}
	s.derived(where.Derived)
	for _, sub := range where.Sub {
		s.related(sub)
	}
}

// derived adds the rows that give a value, which may be nil.
func (s *Set) derived(d *filter.Derived) {
	for ; d != nil; d = d.Next {
		s.anyRow(d.Link.Target)
		s.related(d.Where)
		if d.Link.Through != nil {
			s.anyRow(d.Link.Inverse.Owner)
			s.related(d.Via)
		}
	}
}

// keysIn returns the primary keys that a filter limits rows to; nil: it does not.
func keysIn(f *filter.Filter, primary *schema.Property) (keys []json.RawMessage) {
	switch {
	case f == nil || primary == nil:
		return nil
	case f.Op == filter.And:
		for _, sub := range f.Sub {
			if keys = keysIn(sub, primary); keys != nil {
				return keys
			}
		}
	case f.Field == primary && (f.Op == filter.Eq || f.Op == filter.In):
		for _, v := range f.Values {
			keys = append(keys, schema.AppendValue(nil, v))
		}
	}
	return keys
}

// text is a key in the one form that rows have for it.
func text(e *schema.Entity, key json.RawMessage) string {
	if e.Primary != nil {
		if v, why := e.Primary.Kind.Value(key); why == "" {
			return string(schema.AppendValue(nil, v))
		}
	}
	return string(key)
}

// Touched reports whether the row of an entity, a [schema.EntityKey], was read.
func (s *Set) Touched(entity string, key json.RawMessage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for e, keys := range s.entities {
		if e.Key != entity {
			continue
		}
		_, found := keys[text(e, key)]
		return found || keys == nil
	}
	return false
}

// readEntities returns the entities whose rows were read, by name, and the name of something else
// that was, or "".
func (s *Set) readEntities() (entities []*schema.Entity, other string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Keys(s.entities), func(a, b *schema.Entity) int { return strings.Compare(a.Key, b.Key) }), s.other
}
