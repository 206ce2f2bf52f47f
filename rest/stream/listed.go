package stream

import (
	"crypto/sha256"

	"github.com/frondhost/frond/facade"
)

// Listed is what a list has said of rows: a hash of each by its key, until an event says
// something else. nil is no list.
type Listed map[string][16]byte

// List notes the rows of a list of a door.
func List(door *facade.Door, result *facade.Result) Listed {
	if door.Entity == nil || door.Entity.Primary == nil || result.Rows == nil {
		return nil
	}
	l := make(Listed, result.Rows.Len())
	for i := range result.Rows.Len() {
		row := result.Rows.Row(i)
		if key := row.Get(door.Entity.Primary.Name); key != nil {
			l[string(key)] = hashOf(row.JSON())
		}
	}
	return l
}

// has reports whether the list has said what an event says. The first event of a row ends
// that: what comes after it is news.
func (l Listed) has(r *facade.Revealed) bool {
	if r.Key == nil {
		return false
	}
	row, known := l[string(r.Key)]
	if !known {
		return false
	}
	delete(l, string(r.Key))
	return (r.Change == facade.Created || r.Change == facade.Updated) && row == hashOf(r.Data)
}

func hashOf(text []byte) [16]byte {
	sum := sha256.Sum256(text)
	return [16]byte(sum[:16])
}
