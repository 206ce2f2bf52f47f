package compile

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
)

// bindings are the rules and the Go code that are bound to the doors and operations of a project.
type bindings struct {
	*facade.Compiled
	authored map[*catalog.Operation]bool // author's code makes calls within it, before it is committed
}

// newBindings has no bindings yet.
func newBindings(registry *schema.Registry) *bindings {
	return &bindings{authored: map[*catalog.Operation]bool{}, Compiled: &facade.Compiled{
		Registry: registry, Collectors: map[*catalog.Door]access.Collector{}, Presenters: map[*catalog.Door][]*access.Presenter{},
		Handlers: map[*catalog.Operation]facade.AttachedHandler{}, Hooks: map[*catalog.Operation][]facade.Hook{},
	}}
}

// attach binds what Go code attached to the doors and operations it names. A name that
// does not exist is a fault like one in a file; its place is "Go code".
func attach(r *report, m *model, k *bindings, code *facade.Project) {
	for _, h := range code.Handlers {
		attachHandler(r, m, k, h)
	}
	for _, h := range code.Hooks {
		attachHook(r, m, k, h)
	}
	for _, p := range code.Presenters {
		attachPresenter(r, m, k, p)
	}
	for _, c := range code.Collectors {
		switch door := attachedTo(r, m, c.Door, "a collector is attached to "+c.Door, "that"); {
		case door == nil:
		case k.Collectors[door] != nil:
			r.fault(goCode, "", fmt.Sprintf("two collectors are attached to %s", door.Name), "attach one that says both")
		default:
			k.Collectors[door] = c.Collector
		}
	}
	for _, c := range code.Checks {
		if door := attachedTo(r, m, c.Door, "Go code is written for "+c.Door, "that"); door != nil {
			r.faults = append(r.faults, c.Check(door)...)
		}
	}
}

// attachedTo returns the door that Go code names. A door that does not exist is a fault: the
// attached code has no door of its name.
func attachedTo(r *report, m *model, name, what, called string) *catalog.Door {
	door := m.doors[schema.EntityKey(name)]
	if door == nil {
		r.fault(goCode, "", what+", but no door is called "+called, m.doorsRemedy(name))
	}
	return door
}

// attachHandler binds a handler to a declared operation, or in front of a built-in one.
// Two handlers of one operation are a fault, and so is a typed handler whose kind is not
// the operation's.
func attachHandler(r *report, m *model, k *bindings, h facade.AttachedHandler) {
	method := h.Door + "." + h.Name
	door := attachedTo(r, m, h.Door, "a handler is attached to "+method, h.Door)
	if door == nil {
		return
	}
	switch op := door.Operation(h.Name); {
	case op == nil:
		r.fault(goCode, "", fmt.Sprintf("a handler is attached to %s, but %s declares no such operation", method, door.Name),
			fmt.Sprintf("declare it in frond.yaml: doors: {%s: {operations: {%s: {kind: command}}}}", door.Name, h.Name))
	case op.IsMany():
		r.fault(goCode, "", fmt.Sprintf("a handler is attached to %s, which runs %s for each row", method, op.Needs[0].Name), "attach it to "+op.Needs[0].Name)
	case op.Attached:
		r.fault(goCode, "", fmt.Sprintf("two handlers are attached to %s", method), "attach one of them")
	case h.Kind != "" && h.Kind != op.Kind:
		r.fault(goCode, "", fmt.Sprintf("%s is a %s, but its handler is attached as a %s", method, op.Kind, h.Kind),
			"attach it by the other function, or state the kind in frond.yaml")
	case h.Detached && op.Kind != catalog.Command:
		r.fault(goCode, "", fmt.Sprintf("%s is a query, and its handler is attached as detached", method), "leave Detached out: only commands are transactions")
	default:
		op.Attached, op.Answered = true, true
		k.Handlers[op] = h
		k.authored[op] = !h.Detached
	}
}

// attachPresenter adds a computed field that Go code makes to the rows of a door. The stored
// fields it needs have to exist; no other field may have its name.
func attachPresenter(r *report, m *model, k *bindings, p facade.AttachedPresenter) {
	door := attachedTo(r, m, p.Door, "the computed field "+p.Name+" is attached to "+p.Door, "that")
	switch {
	case door == nil:
		return
	case door.Entity == nil:
		r.fault(goCode, "", fmt.Sprintf("the computed field %s is attached to %s, which has no rows", p.Name, door.Name), "attach it to a door with a card")
		return
	case misnamed(r, goCode, "", door, p.Name):
		return
	}
	for _, need := range p.Needs {
		if q := door.Entity.Property(need); q == nil || !q.Stored {
			r.fault(goCode, "", fmt.Sprintf("the computed field %s of %s needs %s, which is no stored field", p.Name, door.Name, need), "name fields that stand in the rows")
		}
	}
	k.present(door, p.Presenter)
}

// present adds a computed field to the door.
func (k *bindings) present(d *catalog.Door, p *access.Presenter) {
	d.Computed = append(d.Computed, &p.Computed)
	k.Presenters[d] = append(k.Presenters[d], p)
}

// attachHook binds a hook to a command. A query has no hooks: collectors and computed fields
// decide its rows and fields.
func attachHook(r *report, m *model, k *bindings, h facade.AttachedHook) {
	method := h.Door + "." + h.Name
	door := attachedTo(r, m, h.Door, "a hook is attached to "+method, h.Door)
	if door == nil {
		return
	}
	switch op := door.Operation(h.Name); {
	case op == nil:
		r.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, but %s has no such operation", method, door.Name), "name one of "+strings.Join(door.OperationNames(), ", "))
	case op.IsMany():
		r.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, which runs those of %s for each row", method, op.Needs[0].Name), "attach it to "+op.Needs[0].Name)
	case op.Kind != catalog.Command:
		r.fault(goCode, "", fmt.Sprintf("a hook is attached to %s, which is a query", method), "attach hooks to commands; collectors restrict reads, and computed fields extend rows")
	default:
		k.Hooks[op] = append(k.Hooks[op], h.Hook)
		k.authored[op] = k.authored[op] || h.Hook.Before != nil && !op.Attached
	}
}
