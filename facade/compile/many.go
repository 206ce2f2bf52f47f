package compile

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// openedMany returns what many of frond.yaml opens, by the keys of doors. An entry for a door that the
// Frond does not have is a fault.
func (b *doorBuilder) openedMany(src *project.Frond, config project.Config) map[string]*project.Many {
	opened := map[string]*project.Many{}
	for i := range config.Many {
		m := &config.Many[i]
		e := b.model.set.Entity(m.Door)
		off := slices.ContainsFunc(config.Doors, func(d *project.Door) bool { return d.Off && schema.EntityKey(d.Name) == schema.EntityKey(m.Door) })
		switch {
		case e == nil || e.View || e.Frond != src.Name || off:
			b.report.fault(src.Config.File, m.At, fmt.Sprintf("%s is no door with rows of this Frond, and has no writes of many rows", m.Door), "name an entity of "+src.Name+" that has a door")
		case opened[e.Key] != nil:
			b.report.fault(src.Config.File, m.At, fmt.Sprintf("%s is written twice", m.Door), "write it once")
		default:
			opened[e.Key] = m
		}
	}
	return opened
}

// isBuiltin reports whether a name is that of a built-in operation of the door: a write of many
// rows is one where many opens it, else the name is free for the author's.
func isBuiltin(c *project.Door, name string) bool {
	x := catalog.BuiltinNamed(name)
	return x != nil && (x.Needs == nil || wordOf(c, x) != nil)
}

// wordOf returns the word under many that opens an operation, or nil.
func wordOf(c *project.Door, x *catalog.Builtin) *project.FactSource {
	if c.Many == nil {
		return nil
	}
	for i := range c.Many.Words {
		if w := &c.Many.Words[i]; project.ManyWords[w.Name] == x.Name {
			return w
		}
	}
	return nil
}

// opensMany reports whether callers have a write of many rows. It needs the operations of one row: a
// word for one that the door does not have is a fault.
func (b *doorBuilder) opensMany(d *catalog.Door, src *project.Frond, c *project.Door, x *catalog.Builtin) bool {
	word := wordOf(c, x)
	if word == nil {
		return false
	}
	for _, name := range x.Needs {
		if d.Operation(name) != nil {
			continue
		}
		if !c.Many.All && src.Remote == "" {
			b.report.fault(src.Config.File, word.At, fmt.Sprintf("%s needs the rights of %s, which %s does not have", x.Name, name, d.Name),
				"open "+name+" under operations, or leave "+word.Name+" out")
		}
		return false
	}
	return true
}
