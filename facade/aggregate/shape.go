package aggregate

import (
	"encoding/json"
	"time"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// keyName is the member of a group that has its keys.
const keyName = "key"

// Shape lays out the groups that a store has found, one row for each. Their layout is
// [Groups.Names]. A row has the members that select names, in its order:
//
//	{"key": {…}, "count": 7, "total": {"sum": "81.50", "avg": "11.642857"}}
func (g *Groups) Shape(found *rows.Rows) *rows.Rows {
	names, at := g.members()
	out := rows.New(rows.NewLayout(names), found.Len())
	var member []byte
	for i := range found.Len() {
		row := found.Row(i)
		out.BeginRow()
		out.End(0, g.appendKey(out.Begin(0), row))
		for place := 1; place < len(names); place++ {
			member = member[:0]
			for j := g.Keys; j < len(at); j++ {
				switch {
				case at[j] != place:
				case g.Columns[j].Of == nil:
					member = append(member, row.At(j)...)
				default:
					if len(member) == 0 {
						member = append(member, '{')
					}
					member = jsontext.AppendName(jsontext.Comma(member), g.Columns[j].Func.String())
					member = append(member, row.At(j)...)
				}
			}
			if member[0] == '{' {
				member = append(member, '}')
			}
			out.Put(place, member)
		}
		out.EndRow()
	}
	return out
}

// members are the names of the members of a group, and by column the place of its member.
func (g *Groups) members() (names []string, at []int) {
	names, at = []string{keyName}, make([]int, len(g.Columns))
	for i, c := range g.Columns[g.Keys:] {
		name := c.name
		if c.Of == nil {
			name = Count.String()
		}
		place := 1
		for place < len(names) && names[place] != name {
			place++
		}
		if at[g.Keys+i] = place; place == len(names) {
			names = append(names, name)
		}
	}
	return names, at
}

// AppendNone appends the group of no rows to the answer of a store: its counts are 0, and all else null.
func (g *Groups) AppendNone(to *rows.Rows) {
	to.BeginRow()
	for i, c := range g.Columns {
		if c.Func == Count || c.Func == CountDistinct {
			to.Put(i, json.RawMessage("0"))
		} else {
			to.Put(i, json.RawMessage("null"))
		}
	}
	to.EndRow()
}

// appendKey appends the keys of a group as an object.
func (g *Groups) appendKey(dst []byte, row rows.Row) []byte {
	dst = append(dst, '{')
	for i := range g.Keys {
		c := &g.Columns[i]
		dst = append(jsontext.AppendName(jsontext.Comma(dst), c.name), g.period(c, row.At(i))...)
	}
	return append(dst, '}')
}

// period is a key as it leaves: the first moment of a period of date-times is written with the
// offset that the zone has then.
func (g *Groups) period(c *Column, key json.RawMessage) json.RawMessage {
	if c.Unit == Value || c.Of.Kind != schema.KindDateTime || jsontext.KindOf(key) != jsontext.String {
		return key
	}
	text := jsontext.Unquote(key)
	var at time.Time
	var err error
	if c.Unit == Hour {
		at, err = time.Parse(time.RFC3339, text)
	} else if at, err = time.Parse(time.DateOnly, text); err == nil {
		at = firstMoment(at, g.Zone)
	}
	if err != nil {
		return key
	}
	return jsontext.Quote(at.In(g.Zone).Format(time.RFC3339))
}

// firstMoment is the moment at which a day begins in a zone; day is its midnight in UTC. A change of
// the clock may repeat midnight, and the first one counts, or leave it out: the day then begins with
// the change.
func firstMoment(day time.Time, zone *time.Location) time.Time {
	offset := func(at time.Time) time.Duration {
		_, seconds := at.In(zone).Zone()
		return time.Duration(seconds) * time.Second
	}
	noon := day.Add(12 * time.Hour)
	noon = noon.Add(-offset(noon.Add(-offset(noon))))
	begin := day.Add(-offset(noon))
	change, _ := noon.In(zone).ZoneBounds()
	if change.IsZero() || begin.After(change) {
		return begin
	}
	if before := day.Add(-offset(change.Add(-1))); before.Before(change) {
		return before
	}
	return change
}
