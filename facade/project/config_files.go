package project

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// FileField is a field that holds the id of a file.
//
//	product.image: {types: [image/png, image/jpeg], max: 5MiB, sizes: {thumb: 200x200}}
type FileField struct {
	Door, Field, At string
	Types           []string
	Max             int64 // bytes
	Sizes           []FileSize
}

// FileSize is a smaller image that is made of the file.
type FileSize struct {
	Name          string
	Width, Height int // that the image fits into
}

// The bounds of a file and of the images that are made of it.
const (
	defaultFile  = 10 << 20
	maxFile      = 5 << 30
	maxImageSide = 4096
)

// fileKeys are the keys of an entry, from the table in keys.go.
var fileKeys = schema.KeyNames(schema.Below(frondKeys, "files", "*"))

// files reads files.
func (r *configReader) files(value json.RawMessage, at string) (all []FileField) {
	r.object(value, at, "files", nil, func(name, at string, value json.RawMessage) {
		f := FileField{At: at, Max: defaultFile}
		var ok bool
		if f.Door, f.Field, ok = strings.Cut(name, "."); !ok || f.Door == "" || f.Field == "" {
			r.fault(at, fmt.Sprintf("%q does not name a field", name), "write the entity and its field: product.image")
			return
		}
		r.fileField(&f, value)
		all = append(all, f)
	})
	return all
}

// fileField reads the rules of a field.
func (r *configReader) fileField(f *FileField, value json.RawMessage) {
	r.object(value, f.At, "a field with files", fileKeys, func(name, at string, value json.RawMessage) {
		switch name {
		case "types":
			f.Types = r.types(value, at)
		case "max":
			if f.Max = readBytes(value); f.Max < 1 || f.Max > maxFile {
				r.fault(at, "max has to be a number of bytes up to 5GiB", "write max: 5MiB, say")
			}
		case "sizes":
			f.Sizes = r.sizes(value, at)
		}
	})
	if len(f.Types) == 0 {
		r.fault(f.At, f.Door+"."+f.Field+" does not say which files it takes", "write types: [image/png, image/jpeg], say")
	}
}

// FilesThere reads the fields whose files a remote host gives ([schema.DiscoveredDoor]). A field that
// cannot be read is left out.
func FilesThere(fields json.RawMessage) (all []FileField) {
	if jsontext.KindOf(fields) != jsontext.Object {
		return nil
	}
	for name, value := range jsontext.Members(fields) {
		r, f := &configReader{}, FileField{Field: name, Max: defaultFile}
		if r.fileField(&f, value); len(r.faults) == 0 {
			all = append(all, f)
		}
	}
	return all
}

// FileRules are the rules of a field as [FilesThere] reads them.
func FileRules(types []string, most int64, sizes []FileSize) json.RawMessage {
	rules := schema.Object{{Name: "types", Value: jsontext.AppendStrings(nil, types)}, {Name: "max", Value: strconv.AppendInt(nil, most, 10)}}
	if len(sizes) > 0 {
		var all schema.Object
		for _, s := range sizes {
			all = append(all, schema.Member{Name: s.Name, Value: jsontext.Quote(fmt.Sprintf("%dx%d", s.Width, s.Height))})
		}
		rules = append(rules, schema.Member{Name: "sizes", Value: all.AppendJSON(nil)})
	}
	return rules.AppendJSON(nil)
}

// types reads media types.
func (r *configReader) types(value json.RawMessage, at string) (all []string) {
	for _, t := range r.distinct(value, at, "types: [image/png, image/jpeg]") {
		if kind, rest, ok := strings.Cut(t.Name, "/"); !ok || kind == "" || rest == "" || strings.Contains(rest, "/") || strings.ContainsAny(t.Name, " ;,*") || t.Name != strings.ToLower(t.Name) {
			r.fault(t.At, fmt.Sprintf("%q is no media type", t.Name), "write one in lower case, such as image/png, without parameters")
		} else {
			all = append(all, t.Name)
		}
	}
	return all
}

// sizes reads the named sizes of images.
func (r *configReader) sizes(value json.RawMessage, at string) (all []FileSize) {
	r.object(value, at, "sizes", nil, func(name, at string, value json.RawMessage) {
		width, height, _ := strings.Cut(jsontext.Unquote(value), "x")
		w, wrong := strconv.Atoi(width)
		h, wrong2 := strconv.Atoi(height)
		switch {
		case !schema.IsGraphQLName(name):
			r.fault(at, fmt.Sprintf("%q cannot be the name of a size", name), "write a letter, then letters and digits: thumb")
		case slices.ContainsFunc(all, func(s FileSize) bool { return strings.EqualFold(s.Name, name) }):
			r.fault(at, "the size "+name+" is written twice", "write it once")
		case jsontext.KindOf(value) != jsontext.String, wrong != nil, wrong2 != nil, w < 1, h < 1, w > maxImageSide, h > maxImageSide:
			r.fault(at, "a size has to be a width and a height in pixels", fmt.Sprintf("write %s: 200x200, say, with at most %d pixels on a side", name, maxImageSide))
		default:
			all = append(all, FileSize{name, w, h})
		}
	})
	return all
}

// readBytes reads a number of bytes, such as 5MiB; 0 for any other value.
func readBytes(value json.RawMessage) int64 {
	text := strings.Trim(string(jsontext.Trim(value)), `"`)
	unit := int64(1)
	for suffix, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if cut, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = cut, size
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > maxFile {
		return 0
	}
	return n * unit
}
