package sqlite

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/store/sqlite/engine"
	"github.com/frondhost/frond/store/sqltext"
)

// blameDelete finds which relation holds a row that was to go, or to change its key, and
// returns CONFLICT for it (kiterror.InUse). keys are the keys of the rows.
func (s *access) blameDelete(c *engine.Conn, t *table, keys []sqltext.Value, err error) error {
	if !engine.IsForeignKey(err) {
		return err
	}
	h := &holding{conn: c, all: s.tables.Load(), keys: map[string]bool{}, seen: map[string]bool{}}
	by := h.of(t, keys)
	if by == nil {
		by = h.dangling(t)
	}
	if by != nil {
		return kiterror.InUse(by)
	}
	return kiterror.Errorf(kiterror.Conflict, "other rows still point at the row; remove or change them first")
}

// holding looks for the relation whose rows hold others. onDelete restrict is judged with the statement,
// which is undone then, and no action when the write is done, when the rows that it cascades to are gone.
type holding struct {
	conn *engine.Conn
	all  *tables
	keys map[string]bool // whose rows were looked for, by table
	seen map[string]bool // tables that [holding.dangling] has looked at
}

// maxHeld is how many rows that would go along are looked at.
const maxHeld = 1000

// of returns a relation that holds rows of t, or rows that would go along with them.
func (h *holding) of(t *table, keys []sqltext.Value) (by *schema.Property) {
	h.relations(t, func(other *table, col *column) bool {
		for _, key := range keys {
			if !cascades(col) {
				if n, err := h.conn.Number("SELECT count(*) FROM (SELECT 1 FROM "+other.Name+" WHERE "+col.Name+" = ? LIMIT 1)", key); err == nil && n > 0 {
					by = col.Prop
				}
			} else if mark := fmt.Sprintf("%s %v", col.Name, key); len(h.keys) < maxHeld && !h.keys[other.Name+mark] {
				h.keys[other.Name+mark] = true
				by = h.of(other, h.going(other, col, key))
			}
			if by != nil {
				return false
			}
		}
		return true
	})
	return by
}

// going returns the keys of the rows that would go along by a relation.
func (h *holding) going(other *table, col *column, key sqltext.Value) (keys []sqltext.Value) {
	if other.Primary.Parts != nil {
		return nil
	}
	_ = h.conn.Each(func(st *engine.Stmt) { // an unreadable table explains no failure
		if v, fault := sqltext.Encode(other.Primary.Prop, appendColumn(nil, st, 0, other.Primary)); fault == "" {
			keys = append(keys, v)
		}
	}, "SELECT "+other.Primary.Name+" FROM "+other.Name+" WHERE "+col.Name+" = ? LIMIT "+strconv.Itoa(maxHeld), key)
	return keys
}

// dangling returns a relation of which a row leads nowhere, among those to t and to the tables whose rows go
// along.
func (h *holding) dangling(t *table) (by *schema.Property) {
	if h.seen[t.Name] || t.Primary.Parts != nil {
		return nil
	}
	h.seen[t.Name] = true
	h.relations(t, func(other *table, col *column) bool {
		if cascades(col) {
			by = h.dangling(other)
		} else if n, err := h.conn.Number("SELECT count(*) FROM (SELECT 1 FROM " + other.Name + " AS o WHERE o." + col.Name + " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " + t.Name + " AS t WHERE t." + t.Primary.Name + " = o." + col.Name + ") LIMIT 1)"); err == nil && n > 0 {
			by = col.Prop
		}
		return by == nil
	})
	return by
}

// relations calls yield with the relations to t that may hold its rows, in the order of their tables, so that
// an error names the same one every time. It ends where yield returns false: first come those that do not
// cascade.
func (h *holding) relations(t *table, yield func(other *table, col *column) bool) {
	for _, cascading := range []bool{false, true} {
		for _, at := range slices.Sorted(maps.Keys(h.all.ByKey)) {
			other := h.all.ByKey[at]
			for _, col := range other.columns {
				if col.refs == nil || col.refs.Owner.Key != t.Entity.Key || cascades(col) != cascading || onDelete(col) == "set null" {
					continue
				}
				if !yield(other, col) {
					return
				}
			}
		}
	}
}

// onDelete is the action of a relation's card on the deletion of its target.
func onDelete(col *column) string {
	if r := col.Prop.Axes.Relation; r != nil {
		return r.OnDelete
	}
	return ""
}

func cascades(col *column) bool { return onDelete(col) == "cascade" }
