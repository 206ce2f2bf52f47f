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

// news are the events that say something else of a row than the list has said. Of events of one
// row those up to the last that says the same are left out: they were committed before the list was read.
// The first events of a row that come here end that: all later ones are news. shown is changed.
func (l Listed) news(shown []facade.Revealed) []facade.Revealed {
	if len(l) == 0 {
		return shown
	}
	last := map[string]int{} // by key, the last event that the list has said; -1: none is
	for i := range shown {
		r := &shown[i]
		row, known := l[string(r.Key)]
		if !known {
			continue
		}
		if (r.Change == facade.Created || r.Change == facade.Updated) && row == hashOf(r.Data) {
			last[string(r.Key)] = i
		} else if _, seen := last[string(r.Key)]; !seen {
			last[string(r.Key)] = -1
		}
	}
	news := shown[:0]
	for i := range shown {
		if at, known := last[string(shown[i].Key)]; !known || i > at {
			news = append(news, shown[i])
		}
	}
	for key := range last {
		delete(l, key)
	}
	return news
}

func hashOf(text []byte) [16]byte {
	sum := sha256.Sum256(text)
	return [16]byte(sum[:16])
}
