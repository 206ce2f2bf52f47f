package schema

import (
	"encoding/json"

	"github.com/frondhost/frond/schema/jsontext"
)

// Bundle is the entities of the set as one self-contained document (spec 2.4): a $defs map
// with each card under its lower-case name, the value relation.to carries. Relations are
// pointers by name, so mutual ones nest nothing. Views are not part of it: they travel with
// the operations that name them (docs/decisions/card-language.md).
//
//	{"$defs": {"author": {"title": "author", …}, "post": {"title": "post", …}}}
func (s *Set) Bundle() json.RawMessage {
	defs := object{dst: []byte{'{'}}
	for _, e := range s.Entities {
		defs.key(e.Key)
		defs.dst = e.Card.Stated().AppendJSON(defs.dst)
	}
	o := object{dst: []byte{'{'}}
	o.raw("$defs", string(append(defs.dst, '}')))
	return append(o.dst, '}')
}

// ReadBundle reads a bundle. Its sources go to [Compile], which resolves the names of the
// relations to the entities of the bundle; a consumer that only validates sets
// CompileOptions.Partial. Keys beside $defs are ignored. The error is Faults, with pointers
// into the document. Source.At is the pointer of the card in the document, so that faults of
// [Compile] lead there.
func ReadBundle(data []byte) ([]Source, error) {
	if err := jsontext.Check(data); err != nil {
		return nil, Faults{{Message: "this is not JSON: " + err.Error(), Remedy: "a bundle is one JSON object"}}
	}
	defs := jsontext.Get(data, "$defs")
	if jsontext.KindOf(defs) != jsontext.Object {
		return nil, Faults{{Pointer: "/$defs", Message: "this is no bundle: it has no map $defs", Remedy: "put each card under $defs, by its name in lower case"}}
	}
	var sources []Source
	var r reader
	for name, value := range jsontext.Members(defs) {
		at := child("/$defs", name)
		sources = append(sources, Source{Name: name, At: at, Card: r.card(value, at)})
	}
	// Every card is read before the error returns, so that one run reports the faults of all.
	if err := r.faults.Err(); err != nil {
		return nil, err
	}
	return sources, nil
}
