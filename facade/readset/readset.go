// Package readset says what calls have read, so that an answer can be made again when that
// changes:
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
	"github.com/frondhost/frond/facade/rows"
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

// Any adds all rows of an entity.
func (s *Set) Any(e *schema.Entity) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begin()
	s.entities[e] = nil
}

// Row adds the rows of an entity that have these primary keys, JSON texts.
func (s *Set) Row(e *schema.Entity, keys ...json.RawMessage) {
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

// Other adds a read that is no row of an entity, by the name of a door.
func (s *Set) Other(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.other = name
}

func (s *Set) begin() {
	if s.entities == nil {
		s.entities = map[*schema.Entity]map[string]struct{}{}
	}
}

// Where adds the rows of an entity that meet a filter: those that it names by their primary
// keys, or any; and the rows that it reaches through relations.
func (s *Set) Where(e *schema.Entity, where *filter.Filter) {
	s.Related(where)
	if keys := keysIn(where, e.Primary); keys != nil {
		s.Row(e, keys...)
		return
	}
	s.Any(e)
}

// Related adds the rows that a filter reaches through relations.
func (s *Set) Related(where *filter.Filter) {
	if where == nil {
		return
	}
	if where.Link != nil {
		s.Any(where.Link.Target)
	}
	for _, sub := range where.Sub {
		s.Related(sub)
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
			keys = append(keys, rows.AppendValue(nil, v))
		}
	}
	return keys
}

// text is a key in the one form that rows have for it.
func text(e *schema.Entity, key json.RawMessage) string {
	if e.Primary != nil {
		if v, why := rows.Value(e.Primary.Kind, key); why == "" {
			return string(rows.AppendValue(nil, v))
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

// Entities returns the entities whose rows were read, by name, and the name of something else
// that was, or "".
func (s *Set) Entities() (entities []*schema.Entity, other string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	byName := func(a, b *schema.Entity) int { return strings.Compare(a.Key, b.Key) }
	return slices.SortedFunc(maps.Keys(s.entities), byName), s.other
}
