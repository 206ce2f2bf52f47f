package compile

import (
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// compileAlias compiles the old name of a renamed entity that answers until a date; all are the
// renames of its file. Renames are followed by stores; an alias has to name the door itself, so
// that its door is found without following a chain.
func compileAlias(r *report, m *model, now func() time.Time, file string, all []project.Rename, n project.Rename) {
	if end, _ := lastName(all, n, false); !strings.EqualFold(end, n.To) {
		r.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, which is renamed itself", n.From, n.To), fmt.Sprintf("write %s: {to: %s, until: %s}", n.From, end, n.Until))
		return
	}
	door := m.doors[schema.EntityKey(n.To)]
	if door == nil && m.incomplete && m.set.Entity(n.To) == nil {
		return // a remote of which nothing is known yet may have it
	}
	if door == nil {
		r.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, and no door is called that", n.From, n.To), m.doorsRemedy(n.To))
		return
	}
	if other := m.doors[schema.EntityKey(n.From)]; other != nil {
		r.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, and there is a door called that (%s)", n.From, door.Name, other.Origin), "rename that door, or write "+n.From+": "+n.To+" without until")
		return
	}
	a := &catalog.Alias{
		Name: n.From, Plural: schema.Plural(n.From), Door: door, Since: now(),
		Until: lastSecond(n.Until), File: file, At: n.At, Clock: now,
	}
	faults := len(r.faults)
	for _, f := range m.fronds {
		for _, d := range f.Doors {
			if d != door && f == door.Frond && strings.EqualFold(d.Plural, a.Plural) {
				r.fault(file, n.At, fmt.Sprintf("the alias %s has the plural %s, which is that of %s (%s)", a.Name, a.Plural, d.Name, d.Origin), "give "+d.Name+" another plural, or leave until out")
			}
			for _, o := range d.Aliases {
				if strings.EqualFold(o.Name, a.Name) || f == door.Frond && strings.EqualFold(o.Plural, a.Plural) {
					r.fault(file, n.At, fmt.Sprintf("the alias %s of %s is that of %s, or has its plural %s", a.Name, door.Name, d.Name, o.Plural), "leave until out of one of the two")
				}
			}
		}
	}
	if len(r.faults) > faults {
		return
	}
	door.Aliases = append(door.Aliases, a)
	noteEnd(r, file, n, a.Past(now()))
}

// noteEnd notes an alias past its last day.
func noteEnd(r *report, file string, n project.Rename, past bool) {
	if past {
		r.ended = append(r.ended, schema.Fault{File: file, Pointer: n.At, Message: fmt.Sprintf("the alias %s is not answered any more: its last day was %s", n.From, n.Until), Remedy: fmt.Sprintf("write %s: %s, without until", n.From, n.To)})
	}
}

// lastSecond is the end of a day, which the reader has judged.
func lastSecond(day string) time.Time {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, 1).Add(-time.Second)
}
