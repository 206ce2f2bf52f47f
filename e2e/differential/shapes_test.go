package differential

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/graphql-go/graphql"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/projection"
)

// shapes makes up the types of hand-written fields.
type shapes struct {
	*rand.Rand
	w      *world
	enums  []*graphql.Enum
	inputs []*graphql.InputObject
	leaves []graphql.Output
	all    []graphql.Output // what a field may give
	union  *graphql.Union
	faces  []*graphql.Interface
}

// register adds hand-written types and fields to a builder that has the cards.
func (w *world) register(r *rand.Rand, b *projection.Builder) error {
	s := &shapes{Rand: r, w: w}
	for i, values := range []graphql.EnumValueConfigMap{
		{"LOW": {Value: 1}, "MID": {Value: 5}, "HIGH": {Value: 9}},
		{"LOW": {Value: "low"}, "NIL": {Value: "n"}},
	} {
		s.enums = append(s.enums, graphql.NewEnum(graphql.EnumConfig{Name: fmt.Sprintf("Level%d", i), Values: values}))
	}
	s.leaves = []graphql.Output{
		graphql.Int, graphql.Float, graphql.String, graphql.Boolean, graphql.ID,
		s.enums[0], s.enums[1], b.Type("JSON").(graphql.Output),
	}
	for i := range 3 {
		s.inputs = append(s.inputs, s.input(fmt.Sprintf("Box%d", i), false))
	}
	s.inputs = append(s.inputs, s.input("Pick", true))
	s.abstract(b)

	for _, e := range w.entities {
		if err := projection.RegisterType(b, typeName(e), s.fields(e.name, 1+s.IntN(3))); err != nil {
			return err
		}
	}
	roots := s.fields("root", 5)
	for name, t := range map[string]graphql.Output{"rootAny": s.union, "rootFace": s.faces[1], "rootThing": w.things["Thing1"]} {
		roots[name] = &graphql.Field{Type: t, Resolve: w.hand} // so that the schema reaches all of them
	}
	if err := projection.RegisterOperations(b, catalog.Query, roots); err != nil {
		return err
	}
	return projection.RegisterOperations(b, catalog.Command, s.fields("bump", 3))
}

// abstract makes objects, and the interfaces and unions over them.
func (s *shapes) abstract(b *projection.Builder) {
	w := s.w
	w.things = map[string]*graphql.Object{}
	face := func(name string, with ...graphql.Fields) *graphql.Interface {
		return graphql.NewInterface(graphql.InterfaceConfig{Name: name, ResolveType: func(p graphql.ResolveTypeParams) *graphql.Object { return w.typeOf(p.Value) }, Fields: graphql.FieldsThunk(func() graphql.Fields {
			return merged(with...)
		})})
	}
	shared := [2]graphql.Fields{{}, {}}
	faces := []*graphql.Interface{face("Face0", shared[0]), face("Face1", shared[0], shared[1])}
	var objects []*graphql.Object
	for i := range 4 {
		name := fmt.Sprintf("Thing%d", i)
		own := graphql.Fields{}
		config := graphql.ObjectConfig{Name: name, Fields: graphql.FieldsThunk(func() graphql.Fields {
			fields := merged(own)
			switch i { // Thing3 has no interface
			case 0:
				fields = merged(own, shared[0])
			case 1, 2:
				fields = merged(own, shared[0], shared[1])
			}
			return fields
		})}
		switch i {
		case 0:
			config.Interfaces = []*graphql.Interface{faces[0]}
		case 1, 2:
			config.Interfaces = faces
		}
		o := graphql.NewObject(config)
		w.things[name] = o
		objects = append(objects, o)
		defer func() { // when there are types to choose from
			for k, f := range s.fields(strings.ToLower(name), 2+s.IntN(3)) {
				own[k] = f
			}
			own[strings.ToLower(name)+"Mark"] = &graphql.Field{Type: graphql.String, Resolve: mark}
		}()
	}
	defer func() {
		for i := range shared {
			for k, f := range s.fields(fmt.Sprintf("face%d", i), 1+s.IntN(2)) {
				shared[i][k] = f
			}
		}
	}()
	union := graphql.NewUnion(graphql.UnionConfig{
		Name: "Any", Types: []*graphql.Object{objects[0], objects[2], objects[3]},
		ResolveType: func(p graphql.ResolveTypeParams) *graphql.Object { return w.typeOf(p.Value) },
	})
	s.union, s.faces = union, faces
	s.all = append(s.all, s.leaves...)
	s.all = append(s.all, faces[0], faces[1], union)
	for _, o := range objects {
		s.all = append(s.all, o)
	}
	for _, e := range w.entities {
		s.all = append(s.all, b.Type(typeName(e)).(graphql.Output))
	}
}

// mark reads what graphql-go's own resolver reads: a member by its name.
func mark(p graphql.ResolveParams) (any, error) {
	p.Info.FieldName = "Mark"
	return graphql.DefaultResolveFn(p)
}

func merged(all ...graphql.Fields) graphql.Fields {
	out := graphql.Fields{}
	for _, fields := range all {
		for name, f := range fields {
			out[name] = f
		}
	}
	return out
}

// fields makes up n fields whose names begin with prefix.
func (s *shapes) fields(prefix string, n int) graphql.Fields {
	fields := graphql.Fields{}
	for i := range n {
		f := &graphql.Field{Type: s.output(), Resolve: s.w.hand}
		if s.IntN(2) == 0 {
			f.Args = graphql.FieldConfigArgument{}
			for j := range 1 + s.IntN(3) {
				a := &graphql.ArgumentConfig{Type: s.inputType(0)}
				if s.IntN(3) == 0 {
					a.DefaultValue = s.fallback(a.Type)
				}
				f.Args[fmt.Sprintf("a%d", j)] = a
			}
			if s.IntN(5) == 0 {
				f.Args["nul"] = &graphql.ArgumentConfig{Type: graphql.Int} // see patch
			}
		}
		fields[fmt.Sprintf("%sF%d", prefix, i)] = f
	}
	return fields
}

func (s *shapes) output() graphql.Output {
	t := s.all[s.IntN(len(s.all))]
	for range 2 {
		if s.IntN(4) == 0 {
			t = graphql.NewNonNull(t)
		}
		if s.IntN(4) > 0 {
			return t
		}
		t = graphql.NewList(t)
	}
	return t
}

// inputType makes up the type of an argument or an input field.
func (s *shapes) inputType(depth int) graphql.Input {
	var t graphql.Input
	if n := len(s.inputs); n > 0 && s.IntN(3) == 0 {
		t = s.inputs[s.IntN(n)]
	} else {
		t = s.leaves[s.IntN(len(s.leaves))].(graphql.Input)
	}
	for range 2 {
		if s.IntN(4) == 0 {
			t = graphql.NewNonNull(t)
		}
		if s.IntN(4) > 0 {
			return t
		}
		t = graphql.NewList(t)
	}
	return t
}

// input makes an input object. Of a one-of every field may be null and none has a default.
func (s *shapes) input(name string, oneOf bool) *graphql.InputObject {
	fields := graphql.InputObjectConfigFieldMap{}
	for i := range 2 + s.IntN(3) {
		f := &graphql.InputObjectFieldConfig{Type: s.inputType(1)}
		if n, ok := f.Type.(*graphql.NonNull); ok && oneOf {
			f.Type = n.OfType.(graphql.Input)
		}
		if !oneOf && s.IntN(3) == 0 {
			f.DefaultValue = s.fallback(f.Type)
		}
		fields[fmt.Sprintf("b%d", i)] = f
	}
	return graphql.NewInputObject(graphql.InputObjectConfig{Name: name, Fields: fields})
}

// fallback makes up a default, as graphql-go keeps it; nil is none.
func (s *shapes) fallback(t graphql.Type) any {
	switch t := t.(type) {
	case *graphql.NonNull:
		return s.fallback(t.OfType)
	case *graphql.List:
		list := []any{}
		for range s.IntN(3) {
			if v := s.fallback(t.OfType); v != nil {
				list = append(list, v)
			}
		}
		return list
	case *graphql.Enum:
		return t.Values()[0].Value
	case *graphql.InputObject:
		if t.Name() == "Pick" {
			return nil
		}
		object := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(t.Fields())) {
			f := t.Fields()[name]
			_, must := f.Type.(*graphql.NonNull)
			if must && f.DefaultValue == nil || s.IntN(3) == 0 {
				v := s.fallback(f.Type)
				if v == nil && must {
					return nil
				}
				if v != nil {
					object[name] = v
				}
			}
		}
		return object
	}
	switch t.Name() {
	case "Int":
		return s.IntN(100)
	case "Float":
		return 1.5
	case "Boolean":
		return s.IntN(2) == 0
	case "JSON":
		return map[string]any{"d": 1}
	}
	return texts[s.IntN(len(texts))]
}

var nullDefaults = regexp.MustCompile(`\bnul: Int\b`)

// patch gives the SDL what graphql-go's types cannot say: one-of inputs, interfaces
// that implement interfaces, and defaults that are null.
func patch(sdl string) string {
	sdl = strings.Replace(sdl, "input Pick {", "input Pick @oneOf {", 1)
	sdl = strings.Replace(sdl, "interface Face1 {", "interface Face1 implements Face0 {", 1)
	return nullDefaults.ReplaceAllString(sdl, "nul: Int = null")
}
