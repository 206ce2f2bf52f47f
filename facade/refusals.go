package facade

import (
	"fmt"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

// Refusals returns the writes that this host refuses because of the places of its Fronds: they would need the
// transactions of two hosts. Each is the error of such a call, as far as it does not depend on the caller. It is
// empty if every Frond runs here.
func (f *Facade) Refusals() (all []*kiterror.Error) {
	h := f.host
	add := func(err error) { all = append(all, kiterror.AsError(err)) }
	places := map[string]*catalog.Operation{} // the first command of each
	var first *catalog.Operation
	for d := range h.catalog.Doors() {
		var write *catalog.Operation
		for _, op := range d.Operations {
			if op.Kind == catalog.Command && (write == nil || op.Name == "create") {
				write = op
			}
		}
		switch place := d.Frond.Remote; {
		case write == nil:
			continue
		case places[place] == nil:
			if places[place] = write; first == nil {
				first = write
				break
			}
			add(errTwoHosts(write, first))
		}
		if d.Entity == nil {
			continue
		}
		for _, n := range d.Nested {
			if err := notPassed(write, n); err != nil {
				add(err)
			}
		}
		if d.Frond.Remote == "" {
			continue
		}
		for _, why := range h.keptFromTransactions(d) {
			add(errNotPassed(why.op, why.text))
		}
		if op := d.Operation("delete"); op != nil {
			for _, by := range h.pointing[d.Entity] {
				if changeOf(h, by) != nil {
					add(kiterror.AsError(errFollowing(h, by)).At(d.Name, op.Name))
				}
			}
		}
	}
	return all
}

// keptReason is why an operation cannot be part of a transaction at its host.
type keptReason struct {
	op   *catalog.Operation
	text string
}

// keptFromTransactions returns the reasons for the operations of a remote door that hold for every call.
func (h *host) keptFromTransactions(d *catalog.Door) (all []keptReason) {
	write := d.Operation("create")
	if write == nil {
		write = d.Operation("update")
	}
	add := func(op *catalog.Operation, text string) {
		if op != nil && text != "" {
			all = append(all, keptReason{op, text})
		}
	}
	if !d.Frond.Atomic {
		add(write, withoutAtomic)
		return all
	}
	for _, c := range h.doors.of(d).reader.presenters {
		add(write, computedHere(d, c))
	}
	for _, p := range d.Entity.Fields {
		add(write, apartReference(h.catalog, p))
	}
	for _, n := range d.Nested {
		if n.Door.Frond.Remote == d.Frond.Remote {
			add(write, apartWithin(h, n))
		}
	}
	add(d.Operation("delete"), apartBehind(h, d.Entity))
	return all
}

// computedHere says that a field is computed by this host; "": the host of the door does it.
func computedHere(d *catalog.Door, c *access.Presenter) string {
	if c.Elsewhere {
		return ""
	}
	return fmt.Sprintf("%s.%s is computed here", d.Name, c.Name)
}
