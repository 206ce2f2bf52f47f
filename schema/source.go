package schema

import (
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/schema/jsontext"
)

// Source is one card as it was found: a file of a project, or a member of a bundle.
type Source struct {
	// File is the path, for faults; its ending says how Data is read (see [ToJSON]).
	File string
	// At is the pointer of the card in File, for faults; "" for the file itself.
	At string
	// Name is the entity's name as spelled: the file name without its ending. Its lower case
	// is the entity's key.
	Name string
	// Frond is the Frond that declares the card. Names are the host's, not the Frond's: two
	// Fronds cannot declare one entity.
	Frond string
	// View says that the card is a view; views may be cut from an entity by of, pick and omit.
	View bool
	// Data is YAML or JSON, by File's ending; it is ignored where Card is given.
	Data []byte
	// Card is a card that was read already; nil: Data is read. Compile works on a copy.
	Card *Card

	// Table is where the rows of an entity are in a database that was there before the card;
	// nil: where the store puts them.
	Table *Table

	// Builtin marks a card of the host itself. Such a card may use keywords, such as default,
	// that have no meaning in an author's card.
	Builtin bool
}

// parsed is the text of a source as JSON and the card in it. The error is Faults; text is nil
// if it could not be read.
type parsed struct {
	text json.RawMessage
	card *Card
	err  error
}

// parse reads a source; a card that was read before is left to the caller.
func parse(src *Source) (is parsed) {
	if src.Card != nil {
		return is
	}
	if is.text, is.err = ToJSON(src.File, src.Data); is.err == nil {
		is.card, is.err = readCard(src.File, src.At, is.text)
	}
	return is
}

// parseAll parses sources, in their order. Parsing takes most of a compilation's time, and each
// source is independent, so it uses all processors if there are many sources.
func parseAll(sources []Source) []parsed {
	all := make([]parsed, len(sources))
	var next atomic.Int64
	work := func() {
		for i := next.Add(1) - 1; int(i) < len(sources); i = next.Add(1) - 1 {
			all[i] = parse(&sources[i])
		}
	}
	const share = 16 // sources that are worth a goroutine
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(sources)/share) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	return all
}

// Bundle returns the entities of the set as one self-contained document (spec 2.4): a $defs map
// with each card under its lower-case name, the value of relation.to. Relations are pointers by
// name, so mutual ones do not nest. Views are left out: they travel with the operations that
// name them (docs/decisions/card-language.md).
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
// CompileOptions.Partial. Other keys than $defs are ignored. The error is Faults, with pointers
// into the document. Source.At is the pointer of the card in the document, so that faults of
// [Compile] lead there.
func ReadBundle(data []byte) ([]Source, error) {
	if err := jsontext.Check(data); err != nil {
		return nil, Faults{{Message: "this is not JSON: " + err.Error(), Remedy: "a bundle is one JSON object"}}
	}
	defs := jsontext.Get(data, "$defs")
	if jsontext.KindOf(defs) != jsontext.Object {
		return nil, Faults{{Pointer: "/$defs", Message: "this is not a bundle: the map $defs is missing", Remedy: "put each card under $defs, by its name in lower case"}}
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
