package compile

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// attach binds what Go code attached to the doors and operations it names. A name that
// does not exist is a fault like one in a file; its place is "Go code".
func (b *compiler) attach() {
	for _, h := range b.source.Attached.Handlers {
		b.attachHandler(h)
	}
	for _, h := range b.source.Attached.Hooks {
		b.attachHook(h)
	}
	for _, p := range b.source.Attached.Presenters {
		b.attachPresenter(p)
	}
	for _, c := range b.source.Attached.Collectors {
		switch door := b.attachedTo(c.Door, "a collector is attached to "+c.Door, "that"); {
		case door == nil:
		case b.collected[door] != nil:
			b.fault(goCode, "", fmt.Sprintf("two collectors are attached to %s", door.Name), "attach one that says both")
		default:
			b.collected[door] = c.Collector
		}
	}
	for _, c := range b.source.Attached.Checks {
		if door := b.attachedTo(c.Door, "Go code is written for "+c.Door, "that"); door != nil {
			b.faults = append(b.faults, c.Check(door)...)
		}
	}
}

// attachedTo returns the door that Go code names. A door that does not exist is a fault: the
// attached code has no door of its name.
func (b *compiler) attachedTo(name, what, called string) *catalog.Door {
	door := b.doors[schema.EntityKey(name)]
	if door == nil {
		b.fault(goCode, "", what+", but no door is called "+called, b.doorsRemedy())
	}
	return door
}

// attachHandler binds a handler to a declared operation, or in front of a built-in one.
// Two handlers of one operation are a fault, and so is a typed handler whose kind is not
// the operation's.
func (b *compiler) attachHandler(h AttachedHandler) {
	method := h.Door + "." + h.Name
	door := b.attachedTo(h.Door, "a handler is attached to "+method, h.Door)
	if door == nil {
		return
	}
	switch op := door.Operation(h.Name); {
	case op == nil:
		b.fault(goCode, "", fmt.Sprintf("a handler is attached to %s, but %s declares no such operation", method, door.Name),
			fmt.Sprintf("declare it in frond.yaml: doors: {%s: {operations: {%s: {kind: command}}}}", door.Name, h.Name))
	case op.IsMany():
		b.fault(goCode, "", fmt.Sprintf("a handler is attached to %s, which runs %s for each row", method, op.Needs[0].Name), "attach it to "+op.Needs[0].Name)
	case op.Attached:
		b.fault(goCode, "", fmt.Sprintf("two handlers are attached to %s", method), "attach one of them")
	case h.Kind != "" && h.Kind != op.Kind:
		b.fault(goCode, "", fmt.Sprintf("%s is a %s, but its handler is attached as a %s", method, op.Kind, h.Kind),
			"attach it by the other function, or state the kind in frond.yaml")
	case h.Detached && op.Kind != catalog.Command:
		b.fault(goCode, "", fmt.Sprintf("%s is a query, and its handler is attached as detached", method), "leave Detached out: only commands are transactions")
	default:
		op.Attached, op.Answered = true, true
		b.authored[op] = !h.Detached
	}
}

// attachPresenter adds a computed field that Go code makes to the rows of a door. The
// stored fields it needs have to exist; its name must not be that of another field.
func (b *compiler) attachPresenter(p AttachedPresenter) {
	door := b.attachedTo(p.Door, "the computed field "+p.Name+" is attached to "+p.Door, "that")
	switch {
	case door == nil:
		return
	case door.Entity == nil:
		b.fault(goCode, "", fmt.Sprintf("the computed field %s is attached to %s, which has no rows", p.Name, door.Name), "attach it to a door with a card")
		return
	case b.misnamed(goCode, "", door, p.Name):
		return
	}
	for _, need := range p.Needs {
		if q := door.Entity.Property(need); q == nil || !q.Stored {
			b.fault(goCode, "", fmt.Sprintf("the computed field %s of %s needs %s, which is no stored field", p.Name, door.Name, need), "name fields that stand in the rows")
		}
	}
	b.present(door, p.Presenter)
}

// present adds a computed field to the door.
func (b *compiler) present(d *catalog.Door, p *access.Presenter) {
	d.Computed = append(d.Computed, &p.Computed)
	b.presenters[d] = append(b.presenters[d], p)
}

// attachHook binds a hook to a command. Queries have none: collectors and computed fields
// decide the rows and fields of a query.
func (b *compiler) attachHook(h AttachedHook) {
	method := h.Door + "." + h.Name
	door := b.attachedTo(h.Door, "a hook is attached to "+method, h.Door)
	if door == nil {
		return
	}
	switch op := door.Operation(h.Name); {
	case op == nil:
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, but %s has no such operation", method, door.Name), "name one of "+strings.Join(door.OperationNames(), ", "))
	case op.IsMany():
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, which runs those of %s for each row", method, op.Needs[0].Name), "attach it to "+op.Needs[0].Name)
	case op.Kind != catalog.Command:
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, which is a query", method), "attach hooks to commands; collectors restrict reads, and computed fields extend rows")
	default:
		b.authored[op] = b.authored[op] || h.Before && !op.Attached
	}
}
