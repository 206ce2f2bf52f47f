package facade

import (
	"context"
	"maps"
	"slices"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/compile"
	"github.com/frondhost/frond/facade/kiterror"
)

// bind decides who answers each operation and who keeps the rows of each door.
func bind(h *host, c *compile.Compiled, p *Project) {
	h.facts = map[*catalog.Fact]*boundFact{}
	for d := range c.Catalog.Doors() {
		h.doors = append(h.doors, newBoundDoor(d, c))
	}
	for d := range c.Catalog.Doors() {
		for _, op := range slices.AppendSeq(slices.Clone(d.Operations), maps.Values(d.Inside)) {
			for op.Index >= len(h.operations) {
				h.operations = append(h.operations, nil)
			}
			h.operations[op.Index] = &boundOperation{Operation: op, reader: readerOf(h, op)}
		}
	}
	for fact := range c.Catalog.Facts() {
		h.facts[fact] = newBoundFact(h, fact, c)
	}
	for i, a := range p.attached.Handlers {
		op := h.operations.of(c.Catalog.Door(a.Door).Operation(a.Name))
		op.handler, op.detached = p.handlers[i], a.Detached
	}
	for i, a := range p.attached.Hooks {
		op := h.operations.of(c.Catalog.Door(a.Door).Operation(a.Name))
		op.hooks = append(op.hooks, p.hooks[i])
	}
	for _, op := range h.operations {
		if op != nil { // an operation that a remote lacks has an index too
			op.answer()
		}
	}
}

// newBoundDoor binds a door to the store of this host, or to the remote that keeps its rows.
func newBoundDoor(d *catalog.Door, c *compile.Compiled) *boundDoor {
	b := &boundDoor{Door: d, collector: c.Collectors[d], keeper: storeKeeper{}}
	remote := d.Frond.Remote != ""
	if remote {
		b.keeper = remoteKeeper{}
	}
	if d.Entity != nil {
		b.reader = &reader{entity: d.Entity, presenters: c.Presenters[d], versioned: d.ETag}
		b.byID = newOrder(d.Entity, nil)
		b.byID.foreign = remote
	}
	return b
}

// readerOf is the reader of the answer of an operation: that of a door, with its computed fields, where
// the answer is rows of the door.
func readerOf(h *host, op *catalog.Operation) *reader {
	switch {
	case op.Output == nil:
		return nil
	case op.OutDoor != nil && op.OutDoor.Entity == op.Output:
		return h.doors.of(op.OutDoor).reader
	}
	return &reader{entity: op.Output}
}

// newBoundFact binds a fact to the door whose collector judges its events. A fact without a door has
// one of its own, which no call reaches.
func newBoundFact(h *host, f *catalog.Fact, c *compile.Compiled) *boundFact {
	b := &boundFact{}
	if f.Door != nil {
		b.judged = h.doors.of(f.Door)
	} else {
		b.judged = &boundDoor{Door: f.Judged, collector: c.Collectors[f.Judged], keeper: storeKeeper{}}
	}
	switch {
	case f.Data == nil:
	case f.Door != nil && f.Data == f.Door.Entity:
		b.reader = b.judged.reader // with its computed fields
	default:
		b.reader = &reader{entity: f.Data}
	}
	if f.Door == nil {
		b.judged.reader = b.reader
	}
	return b
}

// answer decides who answers the operation, for callers and for the author's own code: a handler
// that replaces a built-in reaches it so.
func (op *boundOperation) answer() {
	if op.Builtin {
		op.builtin = builtins[op.Name]
	}
	switch {
	case op.Door.Frond.Remote != "":
		op.hooks = nil // its Frond has its hooks where it runs
		op.runner = runner{byRemote, runRemote}
	case op.handler != nil:
		op.runner = runner{byHandler, runHandler}
	case op.builtin != nil:
		op.runner = runner{byStore, op.builtin.answer}
	default:
		op.runner = runner{byNobody, runNobody}
	}
	if op.builtin != nil && op.Name == "create" {
		many := *op.Operation
		many.Needs = []*catalog.Operation{op.Operation}
		b := builtins["createMany"]
		op.ofMany = &boundOperation{Operation: &many, builtin: b, runner: runner{byStore, b.answer}, inner: runner{byStore, b.answer}, reader: op.reader}
	}
	if op.inner = op.runner; op.runner.by == byHandler && op.builtin != nil {
		op.inner = runner{byStore, op.builtin.answer}
	}
}

// runNobody answers an operation that is declared, and that is all.
func runNobody(_ context.Context, x *execution) (*Result, error) {
	return nil, kiterror.Errorf(kiterror.NotImplemented, "%s.%s is declared and nothing answers it; attach a handler to it", x.door.Name, x.op.Name)
}

// builtins are the built-in operations by name.
var builtins = map[string]*builtin{
	"list":      {admitList, fillNothing, runList},
	"findById":  {admitID, fillNothing, runFindByID},
	"findByIds": {admitIDs, fillNothing, runFindByIDs},
	"create":    {admitCreate, fillCreate, runCreate},
	"update":    {admitUpdate, fillUpdate, runUpdate},
	"delete":    {admitID, fillNothing, runDelete},

	"aggregate": {admitAggregate, fillNothing, runAggregate},

	"createMany": {admitCreateMany, fillNothing, runCreateMany},
	"updateMany": {admitMany, fillNothing, runUpdateMany},
	"deleteMany": {admitMany, fillNothing, runDeleteMany},
	"upsert":     {admitUpsert, fillNothing, runUpsert},
	"import":     {admitImport, fillNothing, runImport},
}
