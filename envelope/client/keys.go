package client

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// keySet holds the distinct keys of a call with Each, and the result of each.
//
//	sent     ["p1", null, "p2", "p1"]
//	keys     ["p1", "p2"]
//	order    [0, -1, 1, 0]
type keySet struct {
	keys   []json.RawMessage // each of a kind that a row can have
	order  []int             // of the keys as they were sent, which of keys it is; -1: no row can have it
	places jsontext.Distinct // of a key's value, its place in keys
	found  []found           // for each of keys
}

// found is the answer for one key: some rows of a run.
type found struct {
	run      *rows.Rows // nil: none were found
	from, to int
	page     facade.Page // of a list
}

// foundIn is the whole of a result as the answer for one key.
func foundIn(r *facade.Result) found {
	return found{run: r.Rows, to: r.Rows.Len(), page: r.Page}
}

// reset reads the keys as they were sent. field is the field they are values of; nil: it
// is unknown.
func (s *keySet) reset(sent []json.RawMessage, field *schema.Property) {
	s.order, s.keys = make([]int, len(sent)), make([]json.RawMessage, 0, len(sent))
	s.places.Reset(len(sent))
	for i, key := range sent {
		if s.order[i] = -1; !fits(field, key) {
			continue
		}
		if s.order[i] = s.places.Add(normalized(key)); s.order[i] == len(s.keys) {
			s.keys = append(s.keys, key)
		}
	}
	s.found = make([]found, len(s.keys))
}

// add adds a row as the result of a key; false: the key was not sent.
func (s *keySet) add(key json.RawMessage, f found) bool {
	at := s.places.Add(normalized(key))
	if at >= len(s.found) {
		return false
	}
	s.found[at] = f
	return true
}

// gather returns the results as one result with a group for every sent key. counted: the lists
// were asked for totals. Equal keys share their rows; a key that no row can have gets an empty
// group.
func (s *keySet) gather(in *reader, form facade.Form, counted bool) (*facade.Result, *kiterror.Error) {
	if err := s.oneRun(in); err != nil {
		return nil, err
	}
	r := &facade.Result{Form: form, Groups: make([]facade.Group, len(s.order))}
	empty := facade.Group{}
	if form == facade.FormPage {
		r.Total = -1 // the total of all of them is unknown
		if !counted {
			empty.Page.Total = -1
		}
	}
	for i, at := range s.order {
		if r.Groups[i] = empty; at >= 0 {
			f := &s.found[at]
			r.Groups[i] = facade.Group{From: f.from, To: f.to, Page: f.page}
		}
	}
	for i := range s.found {
		if r.Rows = s.found[i].run; r.Rows != nil {
			return r, nil
		}
	}
	r.Rows = in.none()
	return r, nil
}

// oneRun copies the results into one run of rows, unless they are in one already. A result has
// one run, and batches bring one for each frame.
func (s *keySet) oneRun(in *reader) *kiterror.Error {
	var run *rows.Rows
	several, n := false, 0
	for i := range s.found {
		if f := &s.found[i]; f.run != nil {
			several = several || run != nil && run != f.run
			run = f.run
			n += f.to - f.from
		}
	}
	if !several {
		return nil
	}
	objects := make([]json.RawMessage, 0, n)
	for i := range s.found {
		f := &s.found[i]
		from := len(objects)
		for row := f.from; row < f.to; row++ {
			objects = append(objects, f.run.Row(row).JSON())
		}
		f.from, f.to = from, len(objects)
	}
	rows, ok := in.collect(objects)
	if !ok {
		return kiterror.Errorf(kiterror.BadGateway, "the host's rows have too little in common")
	}
	for i := range s.found {
		s.found[i].run = rows
	}
	return nil
}

// fits says whether a row can have the key. Keys are values of other rows, and one that
// cannot be a key is not the caller's fault. A nil field accepts every value.
func fits(field *schema.Property, key json.RawMessage) bool {
	kind := jsontext.KindOf(key)
	if kind == jsontext.Null || kind == jsontext.Invalid {
		return false
	}
	if field == nil {
		return true
	}
	switch field.Kind {
	case schema.KindString, schema.KindDate, schema.KindDateTime, schema.KindDecimal:
		return kind == jsontext.String
	case schema.KindInteger:
		_, ok := schema.Integer(key)
		return ok
	case schema.KindNumber:
		return kind == jsontext.Number
	case schema.KindBoolean:
		return kind == jsontext.True || kind == jsontext.False
	}
	return true
}

// normalized is a key in one spelling, by which rows and keys are matched. "\u0070" is "p",
// and 1.0 is 1.
func normalized(v json.RawMessage) json.RawMessage {
	v = jsontext.Trim(v)
	switch jsontext.KindOf(v) {
	case jsontext.String:
		if bytes.IndexByte(v, '\\') >= 0 {
			return jsontext.Quote(jsontext.Unquote(v))
		}
	case jsontext.Number:
		if n, ok := schema.Integer(v); ok {
			return strconv.AppendInt(nil, n, 10)
		}
	}
	return v
}
