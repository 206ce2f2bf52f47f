package rest

import (
	"crypto/sha256"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facts/sse"
)

// listed is the state of rows in a list: a hash of each by its key, until an event changes it.
// nil: there was no list.
type listed map[string][16]byte

// List has the stream begin with a list of a door, ahead of any event of the log.
func (s *factStream) List(door *catalog.Door, result *facade.Result) {
	s.first = &sse.Event{Name: "list", Data: result.AppendJSON(nil)}
	if door.Entity == nil || door.Entity.Primary == nil || result.Rows == nil {
		return
	}
	s.listed = make(listed, result.Rows.Len())
	for i := range result.Rows.Len() {
		row := result.Rows.Row(i)
		if key := row.Get(door.Entity.Primary.Name); key != nil {
			s.listed[string(key)] = hashOf(row.JSON())
		}
	}
}

// news are the events that say something else of a row than the list has said. Of events of one
// row those up to the last that says the same are left out: they were committed before the list was read.
// The first events of a row that come here end that: all later ones are news. shown is changed.
func (l listed) news(shown []facade.Revealed) []facade.Revealed {
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
		if (r.Change == catalog.Created || r.Change == catalog.Updated) && row == hashOf(r.Data) {
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
