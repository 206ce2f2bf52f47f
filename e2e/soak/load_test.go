package soak

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// mostCommands is how many commands are counted, and no more are sent: what counts
// them does not grow while memory is looked at.
const mostCommands = 1 << 20

// load is who asks, and what came of it.
type load struct {
	url    string
	client *http.Client

	asked, rows, commands, replies atomic.Int64 // replies: of commands
	mu                             sync.Mutex
	codes                          map[string]int
	wrong                          []string
	answered                       []bool // commands, by their mark
}

// run asks until the context ends, from so many sides.
func (l *load) run(ctx context.Context, sides int) {
	var all sync.WaitGroup
	for range sides {
		all.Go(func() {
			for ctx.Err() == nil {
				l.one(rand.IntN(9))
				time.Sleep(time.Duration(rand.IntN(6)) * time.Millisecond)
			}
		})
	}
	all.Wait()
}

// one sends one request of a kind.
func (l *load) one(kind int) {
	n := 1 + rand.IntN(40)
	id := fmt.Sprint("n", n)
	switch kind {
	case 0, 1: // a page, with a relation to the other host
		ids := make([]string, n)
		for i := range ids {
			ids[i] = fmt.Sprint("n", i+1)
		}
		l.graphql(fmt.Sprintf(`{ notes(first: %d) { items { id title pages writerId sum writer { id name sum } } } }`, n), ids, true)
	case 2:
		l.graphql(`{ note(id: "`+id+`") { id title pages writerId sum writer { id name sum } } }`, []string{id}, true)
	case 3:
		l.ask("rest", http.MethodGet, "/api/desk/notes/"+id, "", []string{id}, false)
	case 4:
		l.ask("envelope", http.MethodPost, "/_kit/call", `{"jsonrpc":"2.0","id":"1","method":"writer.findById","params":{"params":{"id":"w`+fmt.Sprint(n)+`"}}}`, []string{fmt.Sprint("w", n)}, false)
	default: // so many that some are under way when a host hangs up
		mark := l.commands.Add(1) - 1
		if mark >= mostCommands {
			return
		}
		ok := l.graphql(`mutation { updateNote(id: "`+id+`", input: {title: "`+fmt.Sprint(mark)+`"}) { id title pages writerId sum writer { id name sum } } }`, []string{id}, true)
		l.mu.Lock()
		l.answered[mark] = ok
		l.mu.Unlock()
		if ok {
			l.replies.Add(1)
		}
	}
}

func (l *load) graphql(document string, ids []string, writers bool) bool {
	body, _ := json.Marshal(map[string]string{"query": document})
	return l.ask("graphql", http.MethodPost, "/graphql", string(body), ids, writers)
}

// ask asks, holds the answer to what it has to be, and says whether rows came.
func (l *load) ask(kind, verb, path, body string, ids []string, writers bool) bool {
	l.asked.Add(1)
	req, err := http.NewRequest(verb, l.url+path, strings.NewReader(body))
	if err != nil {
		l.fault("no request: " + err.Error())
		return false
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := l.client.Do(req)
	if err != nil {
		l.fault("the gateway does not answer: " + err.Error())
		return false
	}
	text, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		l.fault("the gateway's answer is cut: " + err.Error())
		return false
	}
	a, err := read(kind, res.StatusCode, text)
	if err != nil {
		l.fault(fmt.Sprintf("%s: %v: %s", kind, err, a.Text))
		return false
	}
	if what := wrong(a, ids, writers); what != "" {
		l.fault(fmt.Sprintf("%s: %s: %s", kind, what, a.Text))
	}
	l.rows.Add(int64(len(a.Rows)))
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, code := range a.Codes {
		l.codes[code]++
	}
	return len(a.Rows) > 0
}

func (l *load) fault(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.wrong) < 20 {
		l.wrong = append(l.wrong, what)
	}
}
