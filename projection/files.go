package projection

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers/binding"
	"github.com/frondhost/frond/schema/jsontext"
)

// files are the fields that hold files: for image, imageId has the id and image the File.
type files struct {
	options Options
	object  *graphql.Object // File; nil: not made yet
	lookups map[*catalog.Frond]*binding.Lookup[string, *facade.File]
}

// heldFile is the value of a field of type File.
type heldFile struct {
	*facade.File
	field *catalog.File
	door  *catalog.Door
	url   string // its path; "": it has none here
}

// add adds the field of a door that gives the file whose id is in c.
func (fs *files) add(rs *rows, o *definition, d *door, file *catalog.File, by *origin) {
	if fs.object == nil {
		fs.object, fs.lookups = fs.newObject(rs.doors.catalog), map[*catalog.Frond]*binding.Lookup[string, *facade.File]{}
	}
	lookup := fs.lookups[d.Frond]
	if lookup == nil && fs.options.Files != nil {
		lookup = binding.NewLookup(func(ctx context.Context, ids []string) (map[string]*facade.File, error) {
			return fs.options.Files(ctx, d.Frond, ids)
		})
		fs.lookups[d.Frond] = lookup
	}
	name, key := file.Field.Name, d.Entity.Primary.Name
	if !rs.claims.claim(space{"field", o.Name}, name, by.at(file.Field, "file")) {
		return
	}
	rs.addByHand(o, name, &graphql.Field{
		Description: described(&file.Field.Shape, name), Type: fs.object,
		Resolve: func(p graphql.ResolveParams) (any, error) {
			row, ok := p.Source.(interface {
				Get(name string) json.RawMessage
			})
			if !ok || lookup == nil {
				return nil, nil
			}
			id := row.Get(name)
			if jsontext.KindOf(id) != jsontext.String {
				return nil, nil
			}
			if file.Withheld {
				return nil, kiterror.Errorf(kiterror.NotImplemented, "the host of %s does not give the files of %s.%s to gateways; ask that host", d.Frond.Name, d.Name, name)
			}
			load := lookup.Load(p.Context, jsontext.Unquote(id))
			return func() (any, error) {
				found, err := load()
				f, _ := found.(*facade.File)
				if err != nil || f == nil {
					return nil, err
				}
				return heldFile{f, file, d.Door, fs.options.FileURL(d.Door, file, row.Get(key))}, nil
			}, nil
		},
	})
}

// newObject makes the type File, with the sizes of all fields.
func (fs *files) newObject(c *catalog.Catalog) *graphql.Object {
	value := func(typ graphql.Output, about string, of func(heldFile) any) *graphql.Field {
		return &graphql.Field{Type: typ, Description: about, Resolve: func(p graphql.ResolveParams) (any, error) {
			held, _ := p.Source.(heldFile)
			return of(held), nil
		}}
	}
	text := graphql.NewNonNull(graphql.String)
	url := value(graphql.String, "The path of its bytes, below this host; null where REST does not show it.", nil)
	url.Resolve = func(p graphql.ResolveParams) (any, error) {
		held, _ := p.Source.(heldFile)
		size, _ := p.Args["size"].(string)
		known, ok := held.field.Size(size)
		if held.url == "" || size != "" && (!ok || !catalog.IsImage(held.Type)) {
			return nil, nil
		}
		if fs.options.FileLink != nil {
			var of *catalog.FileSize
			if ok {
				of = &known
			}
			if link, err := fs.options.FileLink(p.Context, held.door, held.File, of); link != "" || err != nil {
				return link, err
			}
		}
		if size != "" {
			return held.url + "?size=" + size, nil
		}
		return held.url, nil
	}
	if sizes := sizesOf(c); len(sizes) > 0 {
		url.Description = "The path of its bytes, or of those of a smaller image, below this host; null where REST does not show it, and where there is no such image."
		url.Args = graphql.FieldConfigArgument{"size": {Type: graphql.NewEnum(graphql.EnumConfig{Name: "FileSize", Description: "A smaller image.", Values: sizes})}}
	}
	return graphql.NewObject(graphql.ObjectConfig{Name: "File", Description: "A file that a row holds.", Fields: graphql.Fields{
		"id":     value(graphql.NewNonNull(graphql.ID), "The id, as the row holds it.", func(f heldFile) any { return f.ID }),
		"name":   value(text, "The name that it was sent under.", func(f heldFile) any { return f.Name }),
		"type":   value(text, "The media type.", func(f heldFile) any { return f.Type }),
		"size":   value(graphql.NewNonNull(scalars["BigInt"]), "The number of bytes.", func(f heldFile) any { return f.Size }),
		"sha256": value(text, "The hash of the bytes, in hexadecimal digits.", func(f heldFile) any { return f.SHA256 }),
		"url":    url,
	}})
}

// sizesOf are the names of the sizes of all fields.
func sizesOf(c *catalog.Catalog) graphql.EnumValueConfigMap {
	all := graphql.EnumValueConfigMap{}
	for d := range c.Doors() {
		for _, f := range d.Files {
			for _, s := range f.Sizes {
				all[strings.ToUpper(s.Name)] = &graphql.EnumValueConfig{Value: s.Name}
			}
		}
	}
	return all
}
