package facade

import (
	"fmt"
	"strings"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// pick makes the selection of the call: the fields of names (nil: all) that are also in
// more (nil: all). A name that does not exist for the caller is refused.
func pick(x *execution, names, more []string) *selection {
	side := outside
	switch {
	case x.inside:
		side = within
	case x.kept:
		side = asKept
	}
	return pickOn(x, side, x.op.reader, x.resultScope, names, more)
}

// pickOn is pick for one side of the boundary. The choice is written down as one byte of
// marks for each field, which is the key that a reader keeps its selections by: a choice
// that was made before costs a look-up and no allocation.
func pickOn(x *execution, side boundarySide, r *reader, scope *access.Scope, lists ...[]string) *selection {
	var room [128]byte
	marks := append(room[:0], byte(side))
	for _, p := range r.entity.Fields {
		if p.Stored && (side == within || scope.Readable(p)) {
			marks = append(marks, exists|asked)
		} else {
			marks = append(marks, 0)
		}
	}
	free := lists[0] == nil && lists[1] == nil
	for _, c := range r.presenters {
		switch {
		case side != within && c.Hidden(scope):
			marks = append(marks, 0)
		case side == within && free:
			marks = append(marks, exists) // a presenter that reads its own rows would never end
		default:
			marks = append(marks, exists|asked)
		}
	}
	for _, a := range r.entity.Aliases {
		mark := byte(0)
		if answersAs(&x.viewer, side, scope, a) && !a.Past(x.now()) {
			mark = exists
			// The author's own code gets an old name only where it names it.
			if !free || side != within && x.depth == 0 {
				mark |= asked
			}
		}
		marks = append(marks, mark)
	}
	if r.versioned {
		if marks = append(marks, exists); !free {
			marks[len(marks)-1] |= asked
		}
	}
	for _, list := range lists {
		if list == nil {
			continue
		}
		for i, name := range list {
			if name == catalog.AllFields {
				for j := range r.fieldCount() {
					if marks[1+j]&exists != 0 {
						marks[1+j] |= named
					}
				}
				continue
			}
			at := r.index(name)
			if at < 0 || marks[1+at]&exists == 0 {
				if a := r.alias(at); a != nil && answersAs(&x.viewer, side, scope, a) {
					x.gone(a)
					continue
				}
				unknownField(x, r, marks[1:], name, i)
				continue
			}
			marks[1+at] |= named
			if a := r.alias(at); a != nil {
				x.used = append(x.used, a)
			}
		}
		for i := range marks[1:] {
			if marks[1+i]&named == 0 {
				marks[1+i] &^= asked
			}
			marks[1+i] &^= named
		}
	}
	// The version of a remote's row comes with it.
	if x.versionScope != nil && x.op.Door.Frond.Remote == "" && (x.call.Version || r.versioned && marks[len(marks)-1]&asked != 0) {
		for _, p := range r.entity.Fields {
			if p.Stored && x.versionScope.Readable(p) {
				marks[1+p.Index] |= hashed
			}
		}
	}
	if x.op.hooks != nil || x.op.Emits {
		for _, p := range r.entity.Fields {
			if p.Stored {
				marks[1+p.Index] |= hooked
			}
		}
	}
	return r.selection(marks)
}

// answersAs reports whether the field of an old name exists for the caller.
func answersAs(x *viewer, side boundarySide, scope *access.Scope, a *schema.FieldAlias) bool {
	return a.Field.Stored && (side == within || scope.Readable(a.Field) && !scope.Hides(a.Name))
}

// unknownField refuses the i-th name of a list of fields.
func unknownField(x *execution, r *reader, marks []byte, name string, i int) {
	instead := x.instead(name, func() (names []string) {
		for j, m := range marks {
			if m&exists != 0 {
				names = append(names, r.name(j))
			}
		}
		return names
	})
	message := fmt.Sprintf("names %s, which %s does not have%s", kiterror.Quoted(name), r.entity.Name, instead)
	if strings.Contains(name, ".") { // choose reads the paths of calls
		message = fmt.Sprintf("names %s, and events show the fields of the row itself; leave it out", kiterror.Quoted(name))
	}
	x.refuse(kiterror.UnknownKey(fmt.Sprintf("/query/fields/%d", x.place(i)), message))
}
