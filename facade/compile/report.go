package compile

import (
	"errors"
	"slices"

	"github.com/frondhost/frond/schema"
)

// report collects the faults, notes and advice about a project. Compiling goes on after a fault, so that
// all faults are reported at once.
type report struct {
	faults  schema.Faults
	ignored []schema.Fault // of the cards of remotes
	advice  []schema.Fault
	ended   []schema.Fault // aliases that are past their last day
}

// fault keeps a fault: at is the JSON pointer in the file, remedy what to write instead.
func (r *report) fault(file, at, message, remedy string) {
	r.faults = append(r.faults, schema.Fault{File: file, Pointer: at, Message: message, Remedy: remedy})
}

// keep keeps the faults of cards, which package schema reports.
func (r *report) keep(err error) {
	var faults schema.Faults
	if errors.As(err, &faults) {
		r.faults = append(r.faults, faults...)
	} else {
		r.fault("", "", err.Error(), "")
	}
}

// advise keeps an advice once.
func (r *report) advise(f schema.Fault) {
	if !slices.Contains(r.advice, f) {
		r.advice = append(r.advice, f)
	}
}

// goCode takes the place of the file in a fault of attached code: the program itself.
const goCode = "Go code"
