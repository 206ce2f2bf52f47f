package startpage

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
)

const (
	mostCounted = 60 // doors whose rows are counted
	countWithin = time.Second
)

// number is the number of the rows of a door, or the reason for its absence.
type number struct {
	text    string
	counted bool
}

// unreachable is the number of a door whose host does not answer.
var unreachable = number{text: "unreachable"}

// count returns the number of rows of each door as the caller's own list has it, or the reason
// without one. Fronds are counted side by side: a slow remote does not hold up the others.
func (d *Domain) count(ctx context.Context, state access.State) map[*door]number {
	ctx, cancel := context.WithTimeout(ctx, countWithin)
	defer cancel()
	texts := map[*door]number{}
	var mu sync.Mutex
	var done sync.WaitGroup
	counted := 0
	for _, f := range d.fronds {
		doors := f.doors[:max(min(len(f.doors), mostCounted-counted), 0)]
		counted += len(doors)
		done.Go(func() {
			var text number
			for _, one := range doors {
				if one.list == nil {
					continue
				}
				if text != unreachable { // else so are the doors after it
					text = one.count(ctx, state)
				}
				mu.Lock()
				texts[one] = text
				mu.Unlock()
			}
		})
	}
	done.Wait()
	return texts
}

func (one *door) count(ctx context.Context, state access.State) number {
	res, err := one.view.Caller.Call(ctx, &facade.Call{Entity: one.name, Operation: one.list.Name, NoCursors: true, Invocation: facade.Invocation{Query: json.RawMessage(`{"limit":0}`), State: state}})
	if err == nil && res.Form == facade.FormPage && res.Total >= 0 {
		return number{strconv.FormatInt(res.Page.Total, 10), true}
	}
	switch {
	case err != nil && kiterror.CodeOf(err) == kiterror.Unauthorized:
		return number{text: "after signing in"}
	case err != nil && kiterror.CodeOf(err) == kiterror.Forbidden:
		return number{text: "not for you"}
	case one.frond.remote && err != nil && kiterror.CodeOf(err) == kiterror.ServiceUnavailable:
		return unreachable
	}
	return number{text: "not counted"}
}

// documented is the operation of the door that its link to the API documents opens.
func (one *door) documented() *catalog.Operation {
	if one.list != nil {
		return one.list
	}
	return one.of.Operations[0]
}
