package mockdata

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/frondhost/frond/describe/sample"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Fill makes a project self-contained: every Frond of it runs here, invented rows follow its
// seeds, operations without an answer get handlers, fields made by other programs get
// presenters, and unregistered generators and conversions get replacements. The notes are the
// values that could not be invented; the error is schema.Faults, the faults of the project
// itself.
//
// Fill changes the project in place: remotes, seeds, frond.yaml, registry, handlers. It is
// called once, before the project is compiled. opts must not be nil.
func Fill(project *facade.Project, opts *Options) ([]Note, error) {
	if project.Registry == nil {
		project.Registry = schema.Builtins()
	}
	var presented []presented
	for _, src := range project.Fronds {
		src.Remote, src.Known = "", nil
		presented = append(presented, withoutValue(src)...)
	}
	unknown := map[string]bool{}
	// The project is compiled for its cards alone. Its faults are reported before any value is
	// invented.
	compiled, err := compile.Project(project, &compile.Options{
		Incomplete:   opts.Incomplete,
		Unregistered: func(schema.Fault) { unknown[""] = true },
	})
	if err != nil {
		return nil, err
	}
	catalog := compiled.Catalog
	// Which names are missing is found again from the cards; here it only matters that some
	// are.
	if unknown[""] {
		standIn(project.Registry, catalog.Set, sample.Chance(opts.Seed))
	}
	seeds := readSeeds(project, catalog.Set)
	w := newWorld(catalog.Set, project.Registry, seeds, opts)
	for _, src := range project.Fronds {
		w.seed(src)
	}
	for _, p := range presented {
		if err := p.present(project, w); err != nil {
			return nil, err
		}
	}
	for op := range catalog.Operations() {
		if !op.Answered {
			facade.Handle(project.Door(op.Door.Name), op.Name, w.answering(catalog, op))
		}
	}
	return w.notes, nil
}

// readSeeds reads the author's rows by entity. The façade reports the faults of a file; here it
// is skipped.
func readSeeds(project *facade.Project, set *schema.Set) map[*schema.Entity][]schema.Object {
	given := map[*schema.Entity][]schema.Object{}
	for _, src := range project.Fronds {
		for _, text := range src.Seeds {
			e, items := seedsOf(src, text, set)
			for _, item := range items {
				given[e] = append(given[e], schema.ObjectOf(item))
			}
		}
	}
	return given
}

// seedsOf returns a file's entity and rows. It is nil if the façade will report a fault: an
// entity that the Frond does not have, an unreadable text, or an element of another type than
// object.
func seedsOf(src *project.Frond, text project.Text, set *schema.Set) (*schema.Entity, []json.RawMessage) {
	file := path.Base(text.File)
	e := set.Entity(strings.TrimSuffix(file, path.Ext(file)))
	data, err := schema.ToJSON(text.File, text.Data)
	if err != nil || e == nil || e.View || e.Frond != src.Name {
		return nil, nil
	}
	items := sample.Elements(data)
	for _, item := range items {
		if jsontext.KindOf(item) != jsontext.Object {
			return nil, nil
		}
	}
	return e, items
}

// seed writes a Frond's rows to the files of its seeds. A table's file replaces the author's
// own, whose rows it begins with; a file that gave no rows stays, for the façade to report.
func (w *world) seed(src *project.Frond) {
	byKey := map[string]*table{}
	for e, t := range w.tables {
		if e.Frond == src.Name {
			byKey[e.Key] = t
		}
	}
	files := src.Seeds
	src.Seeds = nil
	for _, text := range files {
		file := path.Base(text.File)
		key := schema.EntityKey(strings.TrimSuffix(file, path.Ext(file)))
		if t := byKey[key]; t == nil || len(t.given) == 0 {
			src.Seeds = append(src.Seeds, text) // empty, or at fault
		}
	}
	for _, t := range w.sequence {
		if t.entity.Frond != src.Name || len(t.rows) == 0 {
			continue
		}
		items := make([]json.RawMessage, len(t.rows))
		for i, row := range t.rows {
			items[i] = row.AppendJSON(nil)
		}
		src.Seeds = append(src.Seeds, project.Text{File: path.Join(src.Dir, "seeds", t.entity.Name+".json"), Data: sample.List(items)})
	}
}

// presented is a computed field that the Frond's own host makes. shape is its JSON Schema.
type presented struct {
	door, name string
	shape      json.RawMessage
}

// withoutValue removes the computed fields without a value from a Frond's frond.yaml: their
// maker is not here, so that a presenter has to make them. The file is rewritten as JSON.
//
//	computed: {order: {total: {type: integer}, open: {type: boolean, value: paid == nil}}}
//	computed: {order: {open: {type: boolean, value: paid == nil}}}
func withoutValue(src *project.Frond) (all []presented) {
	data, err := schema.ToJSON(src.Config.File, src.Config.Data)
	if err != nil || src.Config.File == "" || jsontext.KindOf(jsontext.Get(data, "computed")) != jsontext.Object {
		return nil
	}
	var doors schema.Object
	for door, fields := range jsontext.Members(jsontext.Get(data, "computed")) {
		var kept schema.Object
		for name, field := range jsontext.Members(fields) {
			if jsontext.KindOf(field) == jsontext.Object && jsontext.Get(field, "value") == nil {
				all = append(all, presented{door, name, field})
				continue
			}
			kept = append(kept, schema.Member{Name: name, Value: field})
		}
		doors = append(doors, schema.Member{Name: door, Value: kept.AppendJSON(nil)})
	}
	if len(all) == 0 {
		return nil
	}
	var config schema.Object
	for name, value := range jsontext.Members(data) {
		if name == "computed" {
			value = doors.AppendJSON(nil)
		}
		config = append(config, schema.Member{Name: name, Value: value})
	}
	src.Config = project.Text{File: strings.TrimSuffix(src.Config.File, path.Ext(src.Config.File)) + ".json", Data: config.AppendJSON(nil)}
	return all
}

// present attaches a field whose value is derived from the row's id: the same row has the same
// value at every reading. The error is a shape that cannot be a card.
func (p presented) present(project *facade.Project, w *world) error {
	card, err := schema.ReadCard("the computed field "+p.door+"."+p.name+".json", []byte(`{"type":"object","properties":{"value":`+string(p.shape)+`}}`))
	if err != nil {
		return err
	}
	key := ""
	for e := range w.tables {
		if e.Key == schema.EntityKey(p.door) {
			key = e.Primary.Name
		}
	}
	facade.Present(project.Door(p.door), p.name, card.Fields[0].Shape, func(_ context.Context, found []rows.Row) ([]json.RawMessage, error) {
		values := make([]json.RawMessage, len(found))
		for i, row := range found {
			place := string(row.Get(key))
			m := &sample.Maker{Rand: w.chance.At(p.door, p.name, place), Root: p.shape, About: sample.NewSubject(p.door, w.chance.At(p.door, place))}
			var ok bool
			// A presenter gives one value for each row: null if it could not make one.
			if values[i], ok = m.Value(p.shape, sample.NewName(p.name)); !ok {
				values[i] = null
			}
		}
		return values, nil
	}, key)
	return nil
}

// standIn registers replacements for unregistered generators and conversions: a generator
// returns likely values of its first field, a conversion its input. Registered ones stay; of a
// conversion that is half registered the other half is filled in.
func standIn(registry *schema.Registry, set *schema.Set, c sample.Chance) {
	if registry.Generators == nil {
		registry.Generators = map[string]schema.Generator{}
	}
	if registry.Conversions == nil {
		registry.Conversions = map[string]schema.Conversion{}
	}
	same := func(v json.RawMessage) (json.RawMessage, error) { return v, nil }
	for _, entities := range [][]*schema.Entity{set.Entities, set.Views} {
		for _, e := range entities {
			for _, p := range e.Fields {
				if rule := p.Axes.Create; rule != nil && rule.Generate != "" && registry.Generators[rule.Generate] == nil {
					registry.Generators[rule.Generate] = generator(e, p, c)
				}
				for _, name := range []string{p.Axes.In.Name, p.Axes.Out.Name} {
					if name == "" {
						continue
					}
					known := registry.Conversions[name]
					if known.Decode == nil {
						known.Decode = same
					}
					if known.Encode == nil {
						known.Encode = same
					}
					registry.Conversions[name] = known
				}
			}
		}
	}
}
