package facade

import (
	"fmt"
	"strings"
)

// attach binds what Go code attached to the doors and operations it names. A name that
// does not exist is a fault like one in a file; its place is "Go code".
func (b *compiler) attach() {
	for _, h := range b.project.handlers {
		b.attachHandler(h)
	}
	for _, h := range b.project.hooks {
		b.attachHook(h)
	}
	for _, p := range b.project.presenters {
		b.attachPresenter(p)
	}
	for _, c := range b.project.collectors {
		switch door := b.attachedTo(c.door, "a collector is attached to "+c.door.name, "that"); {
		case door == nil:
		case door.collector != nil:
			b.fault(goCode, "", fmt.Sprintf("two collectors are attached to %s", door.Name), "attach one that says both")
		default:
			door.collector = c.Collector
		}
	}
	for _, c := range b.project.checks {
		if door := b.attachedTo(c.door, "Go code is written for "+c.door.name, "that"); door != nil {
			b.faults = append(b.faults, c.check(door)...)
		}
	}
}

// attachedTo returns the door that Go code names. A door that does not exist is a fault: what is
// attached, but no door is called so.
func (b *compiler) attachedTo(ref DoorRef, what, called string) *Door {
	door := b.doors[ref.key()]
	if door == nil {
		b.fault(goCode, "", what+", but no door is called "+called, b.doorsRemedy())
	}
	return door
}

// attachHandler binds a handler to a declared operation, or in front of a built-in one.
// Two handlers of one operation are a fault, and so is a typed handler whose kind is not
// the operation's.
func (b *compiler) attachHandler(h attachedHandler) {
	method := h.door.name + "." + h.name
	door := b.attachedTo(h.door, "a handler is attached to "+method, h.door.name)
	if door == nil {
		return
	}
	switch op := door.ops[h.name]; {
	case op == nil:
		b.fault(goCode, "", fmt.Sprintf("a handler is attached to %s, but %s declares no such operation", method, door.Name),
			fmt.Sprintf("declare it in frond.yaml: doors: {%s: {operations: {%s: {kind: command}}}}", door.Name, h.name))
	case op.handler != nil:
		b.fault(goCode, "", fmt.Sprintf("two handlers are attached to %s", method), "attach one of them")
	case h.kind != "" && h.kind != op.Kind:
		b.fault(goCode, "", fmt.Sprintf("%s is a %s, but its handler is attached as a %s", method, op.Kind, h.kind),
			"attach it by the other function, or state the kind in frond.yaml")
	case h.detached && op.Kind != Command:
		b.fault(goCode, "", fmt.Sprintf("%s is a query, and its handler is attached as detached", method), "leave Detached out: only commands are transactions")
	default:
		op.handler, op.detached, op.Answered = h.fn, h.detached, true
	}
}

// attachPresenter adds a computed field that Go code makes to the rows of a door. The
// stored fields it needs have to exist; its name must not be that of another field.
func (b *compiler) attachPresenter(p attachedPresenter) {
	door := b.attachedTo(p.door, "the computed field "+p.Name+" is attached to "+p.door.name, "that")
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
	door.present(p.presenter)
}

// present adds a computed field to the door.
func (d *Door) present(p *presenter) {
	d.Computed = append(d.Computed, &p.Computed)
	d.reader.presenters = append(d.reader.presenters, p)
}

// attachHook binds a hook to a command. Queries have none: collectors and computed fields
// say what a query shows.
func (b *compiler) attachHook(h attachedHook) {
	method := h.door.name + "." + h.name
	door := b.attachedTo(h.door, "a hook is attached to "+method, h.door.name)
	if door == nil {
		return
	}
	switch op := door.ops[h.name]; {
	case op == nil:
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, but %s has no such operation", method, door.Name), "name one of "+strings.Join(door.operationNames(), ", "))
	case op.Kind != Command:
		b.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, which is a query", method), "attach hooks to commands; collectors say who reads what, and computed fields what rows show")
	default:
		op.hooks = append(op.hooks, h.Hook)
	}
}
