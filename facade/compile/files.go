package compile

import (
	"fmt"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// fileFields finds the fields that hold files.
func fileFields(r *report, m *model, src *project.Frond, config project.Config) {
	if len(config.Files) > 0 && m.set.Entity(catalog.FileEntity().Name) != nil {
		r.fault(src.Config.File, "/files", catalog.FileEntity().Name+" is the entity in which files are described", "give the entity of the project another name")
	}
	for i := range config.Files {
		f := &config.Files[i]
		d := m.doors[schema.EntityKey(f.Door)]
		if d == nil || d.Entity == nil || d.Frond.Name != src.Name {
			r.fault(src.Config.File, f.At, fmt.Sprintf("%s is not a door with rows of this Frond", f.Door), "name an entity of "+src.Name+" that has a door")
			continue
		}
		p := d.Entity.Property(f.Field)
		name := d.Name + "." + f.Field
		switch {
		case p == nil:
			r.fault(src.Config.File, f.At, d.Name+" has no field "+f.Field, "add it to the card: "+f.Field+": {type: [string, 'null']}")
		case !plainText(p):
			r.fault(src.Config.File, f.At, name+" is not a plain text, and cannot hold the id of a file", "write "+f.Field+": {type: [string, 'null']} in the card")
		case d.File(f.Field) != nil:
			r.fault(src.Config.File, f.At, name+" is written twice", "write it once")
		case d.Operation("create") == nil && d.Operation("update") == nil && d.Inside["create"] == nil && d.Inside["update"] == nil:
			r.fault(src.Config.File, f.At, fmt.Sprintf("%s has neither create nor update, so that no row of it gets a file", d.Name), "open one of them under operations, or leave "+name+" out")
		case len(f.Sizes) > 0 && !slices.ContainsFunc(f.Types, catalog.IsImage):
			r.fault(src.Config.File, f.At+"/sizes", name+" takes no images, of which sizes could be made", "add image/png, image/jpeg, image/gif or image/webp to types, or leave sizes out")
		default:
			d.Files = append(d.Files, &catalog.File{Door: d, Field: p, Types: f.Types, Max: f.Max, Sizes: f.Sizes})
		}
	}
}

// plainText reports whether a field is a text without further conditions.
func plainText(p *schema.Property) bool {
	return p.Stored && p.Kind == schema.KindString && p.Link == nil && !p.Axes.Primary && p.Axes.In.Name == "" && p.Axes.Out.Name == "" &&
		p.Shape.Format == "" && p.Shape.Enum == nil && !slices.ContainsFunc(p.Shape.Extra, func(k schema.Keyword) bool { return !k.Implied && (k.Name == "pattern" || k.Name == "maxLength") })
}
