package contract

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// operation reads one operation of a door. Built-in operations have fixed signatures; named
// ones take what their cards say.
//
//	list         Takes: the keys of ListQuery that the host knows
//	findById     ID; also findByIds, delete
//	create       In: all that a new row takes, Body; a list of them of createMany and import
//	update       ID, In: a patch, Body; of updateMany without ID
//	upsert       In, Keys; also import
//	named        In: one object of params, query and body together
//
// Options are the further keys of the query of a built-in operation, as far as it has them. The
// condition of a write of many rows is a parameter.
func (b *reading) operation(d *catalog.Door, door *Door, op *catalog.Operation) *Op {
	o := &Op{
		Name: op.Name, Doc: op.Description, Deprecated: op.Deprecated, Kind: op.Kind, Builtin: op.Builtin, Cardinality: op.Cardinality, Open: op.Open,
	}
	if op.Output != nil {
		o.Out = &Type{Basic: named, Decl: b.row(op.Output)}
		if op.Output.Card.Fields == nil { // an object of any keys
			o.Out = &Type{}
		}
	}
	if o.Builtin = op.Builtin && !op.Aggregates(); !o.Builtin { // aggregate takes a query alone, as a named one does
		b.named(door, op, o)
		return o
	}
	id := b.key(d.Entity).Type
	o.Many = op.IsMany()
	for _, key := range []string{"ifMatch", "where", "max", "dryRun", "faults", "fields"} {
		if op.Name != "list" && op.Query != nil && op.Query.Property(key) != nil && !(o.Many && key == "where") {
			o.Options = append(o.Options, key)
		}
	}
	switch op.Name {
	case "list":
		o.Takes = listTakes(op)
	case "upsert", "import":
		for _, key := range catalog.UniqueKeys(d.Entity) {
			o.Keys = append(o.Keys, strings.Join(catalog.NamesOf(key), ","))
		}
		fallthrough
	case "create", "createMany":
		o.In = b.object("create "+d.Entity.Key, door.Type+"Input", "The values of a new "+d.Name+".", func(in *Decl) {
			b.input(in, d.Entity, schema.Create, d.Presets)
			b.nested(in, d, door)
		})
		o.Body = true
	case "update", "updateMany":
		o.Body = true
		if !o.Many {
			o.ID = &id
		}
		o.In = b.object("patch "+d.Entity.Key, door.Type+"Patch", "The changes of a "+d.Name+": fields that are left out keep their values, null clears a field, nested objects are merged.", func(in *Decl) {
			b.input(in, d.Entity, schema.Update, nil)
			b.nested(in, d, door)
		})
	case "deleteMany":
	default:
		o.ID = &id
	}
	return o
}

// listTakes are the members of ListQuery that a list takes; nil, the usual case, for all of them.
func listTakes(op *catalog.Operation) (takes []string) {
	all := true
	for _, key := range listKeys {
		switch is := key != catalog.SearchKey || op.Door.Entity.Search != nil; {
		case is && op.HostTakes(key):
			takes = append(takes, key)
		case is:
			all = false
		}
	}
	if all {
		return nil
	}
	return takes
}

// listKeys are the members of a generated ListQuery.
var listKeys = []string{"filter", "sort", "limit", "after", "before", "backward", "offset", "search", "fields", "cursors", "total", "count"}

// named is an operation of the author's: its parameter is one value, whose members are
// distinguished by their names.
//
//	params {id}, query {dryRun}, input {reason}
//	type OrderCancelIn struct { ID, DryRun, Reason }, Params [id], Query [dryRun], Body
//
// An operation without a card for its input is Open, or has no parameters.
func (b *reading) named(door *Door, op *catalog.Operation, o *Op) {
	if op.Params == nil && op.Query == nil && op.Input == nil {
		return
	}
	o.In = b.declare(&Decl{Name: b.taken.take(door.Type + schema.GraphQLType(op.Name) + "In"), Doc: "What " + door.Name + "." + op.Name + " takes."})
	part := func(e *schema.Entity, mode schema.Mode) []string {
		if e == nil {
			return nil
		}
		first := len(o.In.Fields)
		b.input(o.In, e, mode, nil)
		// Empty, not nil: the operation has the part, though without members.
		names := []string{}
		for _, f := range o.In.Fields[first:] {
			names = append(names, f.Name)
		}
		return names
	}
	o.Params = part(op.Params, schema.Plain)
	o.Query = part(op.Query, schema.Plain)
	if op.Aggregates() {
		b.groups(op.Door, door, o)
	}
	if o.Body = op.Input != nil; o.Body {
		mode := schema.Create
		if op.Patch {
			mode = schema.Update
		}
		part(op.Input, mode)
	}
}

// documents are the parts of the contract for consumers that judge. Contract has the
// operations, Bundle the entities alone (docs/decisions/contracts.md).
func (b *reading) documents(f *catalog.Frond) {
	all := b.catalog.Discovery()
	i := slices.IndexFunc(all.Fronds, func(d schema.DiscoveredFrond) bool { return d.Name == f.Name })
	for j := range all.Fronds[i].Doors {
		// The rules of files are for the gateways in front of a host, and each host publishes others.
		door := &all.Fronds[i].Doors[j]
		door.Files, door.FileFields = b.model.Doors[j].Files, nil
	}
	frond := all.Fronds[i]
	frond.Atomic, frond.Rehearses = false, false // they are properties of the host
	b.model.Contract = (&schema.Discovery{Fronds: []schema.DiscoveredFrond{frond}}).AppendJSON(nil)
	var defs schema.Object
	for _, d := range f.Doors {
		if d.Entity != nil {
			defs = append(defs, schema.Member{Name: d.Entity.Key, Value: d.Entity.Card.Stated().AppendJSON(nil)})
		}
	}
	b.model.Bundle = schema.Object{{Name: "$defs", Value: defs.AppendJSON(nil)}}.AppendJSON(nil)
}
