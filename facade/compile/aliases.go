package compile

import (
	"fmt"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// alias compiles the old name of a renamed entity that is answered until a date; all are the
// renames of its file. Renames are followed by stores; an alias has to name the door itself, so
// that its door is found without following a chain.
func (b *compiler) alias(file string, all []project.Rename, n project.Rename) {
	if end, _ := lastName(all, n, false); !strings.EqualFold(end, n.To) {
		b.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, which is renamed itself", n.From, n.To), fmt.Sprintf("write %s: {to: %s, until: %s}", n.From, end, n.Until))
		return
	}
	door := b.doors[schema.EntityKey(n.To)]
	if door == nil && b.incomplete && b.set.Entity(n.To) == nil {
		return // a remote of which nothing is known yet may have it
	}
	if door == nil {
		b.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, and no door is called that", n.From, n.To), b.doorsRemedy())
		return
	}
	if other := b.doors[schema.EntityKey(n.From)]; other != nil {
		b.fault(file, n.At, fmt.Sprintf("%s is an alias of %s, and there is a door called that (%s)", n.From, door.Name, other.Origin), "rename that door, or write "+n.From+": "+n.To+" without until")
		return
	}
	a := &catalog.Alias{
		Name: n.From, Plural: schema.Plural(n.From), Door: door, Since: b.now(),
		Until: lastSecond(n.Until), File: file, At: n.At, Clock: b.now,
	}
	faults := len(b.faults)
	for _, f := range b.fronds {
		for _, d := range f.Doors {
			if d != door && f == door.Frond && strings.EqualFold(d.Plural, a.Plural) {
				b.fault(file, n.At, fmt.Sprintf("the alias %s has the plural %s, which is that of %s (%s)", a.Name, a.Plural, d.Name, d.Origin), "give "+d.Name+" another plural, or leave until out")
			}
			for _, o := range d.Aliases {
				if strings.EqualFold(o.Name, a.Name) || f == door.Frond && strings.EqualFold(o.Plural, a.Plural) {
					b.fault(file, n.At, fmt.Sprintf("the alias %s of %s is that of %s, or has its plural %s", a.Name, door.Name, d.Name, o.Plural), "leave until out of one of the two")
				}
			}
		}
	}
	if len(b.faults) > faults {
		return
	}
	door.Aliases = append(door.Aliases, a)
	b.end(file, n, a.Past(b.now()))
}

// end notes an alias that is past its last day.
func (b *compiler) end(file string, n project.Rename, past bool) {
	if past {
		b.ended = append(b.ended, schema.Fault{File: file, Pointer: n.At, Message: fmt.Sprintf("the alias %s is not answered any more: its last day was %s", n.From, n.Until), Remedy: fmt.Sprintf("write %s: %s, without until", n.From, n.To)})
	}
}

// lastSecond is the end of a day, which the reader has judged.
func lastSecond(day string) time.Time {
	at, _ := time.Parse(time.DateOnly, day)
	return at.AddDate(0, 0, 1).Add(-time.Second)
}
