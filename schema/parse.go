package schema

import (
	"encoding/json"
	"runtime"
	"sync"
	"sync/atomic"
)

// parsed is the text of a source as JSON and the card in it. The error is Faults; text is nil
// where it could not be read.
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

// parseAll parses sources, in their order. It is the part of a compilation that takes the
// longest and needs nothing of the others, so all processors take part where there are many.
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
