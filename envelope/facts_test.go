package envelope_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
)

// ledger is a log of events at the positions 11, 12, … of which nothing before 11 is kept.
type ledger struct {
	facade.EventLog
	events []*facade.Event
}

func newLedger(n int) *ledger {
	l := &ledger{}
	for i := range n {
		l.events = append(l.events, &facade.Event{
			ID: "e", Position: facade.Position(11 + i), Frond: "sales", Name: "orderPlaced", Entity: "order", Key: []byte(`"o"`),
			At: time.Unix(1790000000, 0), Data: []byte(`{"secret":1}`),
		})
	}
	return l
}

func (l *ledger) Span(context.Context) (oldest, last facade.Position, err error) {
	return 10, facade.Position(10 + len(l.events)), nil
}

// ledgerReader reads one.
type ledgerReader struct {
	*ledger
	at facade.Position
}

func (r *ledgerReader) Poll(context.Context) ([]*facade.Event, facade.Position, error) {
	return r.events[r.at-10:], facade.Position(10 + len(r.events)), nil
}

func (r *ledgerReader) Next(ctx context.Context) ([]*facade.Event, facade.Position, error) {
	if int(r.at-10) < len(r.events) {
		return r.Poll(ctx)
	}
	<-ctx.Done()
	return nil, r.at, context.Cause(ctx)
}

func (*ledgerReader) Close() {}

func factsOf(ending context.Context, l *ledger) *envelope.Facts {
	return envelope.NewFacts(&envelope.FactsOptions{
		Frond: "sales", Names: []string{"orderPlaced", "orderShipped"}, Log: l, Ending: ending, Errors: slog.New(slog.DiscardHandler),
		Subscribe: func(_ context.Context, _ []string, after facade.Position) (envelope.EventReader, error) {
			return &ledgerReader{l, after}, nil
		},
		Behind: func(_ context.Context, after facade.Position, _ []string) (int, time.Time, bool, error) {
			rest := l.events[after-10:]
			return len(rest), rest[0].At, true, nil
		},
		Outward: func(e *facade.Event) (*facade.Event, error) {
			out := *e
			out.Data = []byte(`{"open":1}`)
			return &out, nil
		},
	})
}

func getFacts(h http.Handler, method, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(method, target, nil))
	return w
}

// TestFacts is the table of docs/remotes.md.
func TestFacts(t *testing.T) {
	h := factsOf(t.Context(), newLedger(3))
	const event = `{"id":"e","position":"NN","frond":"sales","name":"orderPlaced","entity":"order","key":"o","at":"2026-09-21T14:13:20Z","data":{"open":1}}`
	at := func(positions ...string) string {
		var list []string
		for _, p := range positions {
			list = append(list, strings.ReplaceAll(event, "NN", p))
		}
		return strings.Join(list, ",")
	}
	for _, c := range []struct {
		target string
		status int
		want   string // the whole answer, or a part of a failure
	}{
		{"/_kit/facts", 200, `{"events":[` + at("11", "12", "13") + `],"position":"13","oldest":"10","last":"13"}`},
		{"/_kit/facts?after=11&limit=1&names=orderPlaced", 200, `{"events":[` + at("12") + `],"position":"12","oldest":"10","last":"13"}`},
		{"/_kit/facts?after=13", 200, `{"events":[],"position":"13","oldest":"10","last":"13"}`},
		{"/_kit/facts?limit=0", 200, `{"events":[],"position":"10","oldest":"10","last":"13"}`},
		{"/_kit/facts?limit=0&after=11&names=orderPlaced", 200, `{"events":[],"position":"11","oldest":"10","last":"13","waiting":2,"since":"2026-09-21T14:13:20Z"}`},
		{"/prefix/_kit/facts?after=12&wait=30", 200, `{"events":[` + at("13") + `],"position":"13","oldest":"10","last":"13"}`},
		{"/_kit/facts?after=14", 400, `"code":"VALIDATION_FAILED","message":"the position 14 is outside of this log (10 to 13);`},
		{"/_kit/facts?after=9", 410, `go on from 10, the oldest one","details":{"oldest":"10"}`},
		{"/_kit/facts?after=x", 400, "decimal digits"},
		{"/_kit/facts?after=1&after=2", 400, "once"},
		{"/_kit/facts?limit=501", 400, "from 0 to 500"},
		{"/_kit/facts?wait=31", 400, "from 0 to 30"},
		{"/_kit/facts?names=orderPlaced,orderLost", 400, "it has orderPlaced, orderShipped"},
		{"/_kit/facts?since=1", 400, "the parameters are after, names, limit and wait"},
		{"/_kit/facts?after=%zz", 400, "percent-encoded"},
		{"/_kit/other", 404, "GET /_kit/facts"},
	} {
		w := getFacts(h, http.MethodGet, c.target)
		if w.Code != c.status || c.status == 200 && w.Body.String() != c.want || !strings.Contains(w.Body.String(), c.want) {
			t.Errorf("%s: %d %s, want %d %s", c.target, w.Code, w.Body, c.status, c.want)
		}
	}
	if w := getFacts(h, http.MethodPost, "/_kit/facts"); w.Code != 405 || w.Header().Get("Allow") != "GET, OPTIONS" {
		t.Errorf("POST: %d %v", w.Code, w.Header())
	}
	if w := getFacts(h, http.MethodOptions, "/_kit/facts"); w.Code != 204 {
		t.Errorf("OPTIONS: %d", w.Code)
	}
}

// TestFactsWait until the time is over, or the host stops.
func TestFactsWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, stop := context.WithCancel(t.Context())
		defer stop()
		h := factsOf(ending, newLedger(3))
		for _, after := range []time.Duration{20 * time.Second, 5 * time.Second} {
			began := time.Now()
			if after < 20*time.Second {
				time.AfterFunc(after, stop)
			}
			w := getFacts(h, http.MethodGet, "/_kit/facts?after=13&wait=20")
			if took := time.Since(began); took != after || w.Code != 200 || !strings.Contains(w.Body.String(), `"events":[],"position":"13"`) {
				t.Errorf("after %s: %d %s, want %s", took, w.Code, w.Body, after)
			}
		}
	})
}

// TestLongFacts: an answer ends before it becomes too long for its reader, behind one event at
// least.
func TestLongFacts(t *testing.T) {
	l := newLedger(3)
	for _, e := range l.events {
		e.Data = []byte(`"` + strings.Repeat("x", 3<<20) + `"`)
	}
	if w := getFacts(factsOf(t.Context(), l), http.MethodGet, "/_kit/facts"); !strings.Contains(w.Body.String(), `],"position":"11"`) {
		t.Errorf("the answer is %s", w.Body)
	}
}
