package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// factsOf is a log of the Frond sales whose host answers one text after the other, each with a
// status before it; queries are what it was asked.
func factsOf(t *testing.T, answers ...string) (log *client.Facts, queries *[]string) {
	t.Helper()
	queries = &[]string{}
	return remote(t, "http://host/prefix", &client.Options{Retries: -1, Transport: tripper(func(r *http.Request) (*http.Response, error) {
		if r.Method != http.MethodGet || r.URL.Path != "/prefix/_kit/facts" || r.Body != nil {
			t.Errorf("%s %s with a body %v", r.Method, r.URL, r.Body != nil)
		}
		*queries = append(*queries, r.URL.RawQuery)
		if len(answers) == 0 {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}
		var status int
		text := answers[0]
		answers = answers[1:]
		number, text, _ := strings.Cut(text, " ")
		_, _ = fmt.Sscan(number, &status)
		return &http.Response{StatusCode: status, Header: http.Header{}, ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}, nil
	})}).Facts("sales"), queries
}

// event is one event at a position.
func event(position int) string {
	return fmt.Sprintf(`{"id":"e%d","position":"%[1]d","name":"orderPlaced","entity":"order","key":"o-%[1]d","at":"2026-11-22T16:00:00Z","data":{"total":1}}`, position)
}

func page(position int, events ...string) string {
	return fmt.Sprintf(`200 {"events":[%s],"position":"%d","oldest":"3","last":"%[2]d"}`, strings.Join(events, ","), position)
}

// TestFollow goes on where it was, over failures that pass.
func TestFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, queries := factsOf(t, page(12, event(11), event(12)), "503 ", page(12), page(15, event(14)),
			`410 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"gone","data":{"code":"GONE","message":"gone"}}}`)
		var seen []string
		err := log.Follow(t.Context(), 10, []string{"sales.orderPlaced"}, func(events []*facade.Event, resume facade.Position) error {
			for _, e := range events {
				seen = append(seen, fmt.Sprintf("%s %s.%s %s %s %s %s", e.ID, e.Frond, e.Name, e.Entity, e.Key, e.At.Format(time.RFC3339), e.Data))
			}
			seen = append(seen, fmt.Sprint(int64(resume)))
			return nil
		})
		if kiterror.AsError(err).Code != kiterror.Gone {
			t.Errorf("the end: %v", err)
		}
		one := func(n int) string {
			return fmt.Sprintf(`e%d sales.orderPlaced order "o-%[1]d" 2026-11-22T16:00:00Z {"total":1}`, n)
		}
		if diff := cmp.Diff([]string{one(11), one(12), "12", one(14), "15"}, seen); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		var after []string
		for _, q := range *queries {
			if !strings.HasSuffix(q, "&limit=500&wait=20&names=orderPlaced") {
				t.Errorf("the query is %s", q)
			}
			after = append(after, strings.TrimSuffix(q, "&limit=500&wait=20&names=orderPlaced"))
		}
		if diff := cmp.Diff([]string{"after=10", "after=12", "after=12", "after=12", "after=15"}, after); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestFollowEnds with the function and with its context.
func TestFollowEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, _ := factsOf(t, page(12, event(12)))
		enough := errors.New("enough")
		if err := log.Follow(t.Context(), 0, nil, func([]*facade.Event, facade.Position) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("the function's error: %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := log.Follow(ctx, 12, nil, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the context's error: %v", err)
		}
	})
}

// TestHostsThatDoNotWait are asked once a second.
func TestHostsThatDoNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, queries := factsOf(t, page(12), page(12), page(12), page(13, event(13)))
		began := time.Now()
		for at, want := facade.Position(12), 0; want < 4; want++ {
			_, behind, err := log.Log(t.Context(), at, nil, 100)
			if err != nil {
				t.Fatal(err)
			}
			at = behind
		}
		if took := time.Since(began); took < 3*time.Second || len(*queries) != 4 {
			t.Errorf("%d requests in %s", len(*queries), took)
		}
	})
}

// TestHostsThatWait are asked again at once: after a wait without events, and after events of other
// facts alone.
func TestHostsThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const wait = 20 * time.Second
		answers := []string{page(12), page(13, event(13)), page(14), page(15, event(15))}
		asked := 0
		log := remote(t, "http://host", &client.Options{Retries: -1, Transport: tripper(func(*http.Request) (*http.Response, error) {
			if asked == 0 {
				time.Sleep(wait)
			}
			_, text, _ := strings.Cut(answers[asked], " ")
			asked++
			return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, ContentLength: int64(len(text)), Body: io.NopCloser(strings.NewReader(text))}, nil
		})}).Facts("sales")
		began := time.Now()
		at := facade.Position(12)
		for range answers {
			var err error
			if _, at, err = log.Log(t.Context(), at, nil, 100); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != wait || at != 15 {
			t.Errorf("%d requests in %s, up to %d", asked, took, at)
		}
	})
}

// TestAnswersThatAreNoFacts have a code, and a text that says nothing of the host.
func TestAnswersThatAreNoFacts(t *testing.T) {
	for _, c := range []struct {
		answer string
		code   kiterror.Code
	}{
		{"404 nothing", kiterror.NotImplemented},
		{"405 ", kiterror.NotImplemented},
		{"501 {}", kiterror.NotImplemented},
		{"200 <html>", kiterror.BadGateway},
		{"200 []", kiterror.BadGateway},
		{`200 {"events":[],"position":"1","oldest":"0"}`, kiterror.BadGateway},
		{`200 {"events":[],"position":-1,"oldest":0,"last":0}`, kiterror.BadGateway},
		{`200 {"events":[],"position":"1","oldest":"0","last":"1","waiting":-1}`, kiterror.BadGateway},
		{`200 {"events":[],"position":"1","oldest":"0","last":"1","waiting":1,"since":"today"}`, kiterror.BadGateway},
		{page(1, `{"id":"e"}`), kiterror.BadGateway},
		{page(11, event(12)), kiterror.BadGateway},
		{page(13, event(13), event(12)), kiterror.BadGateway},
		{page(12, strings.Replace(event(12), `"o-12"`, `{}`, 1)), kiterror.BadGateway},
		{page(12, strings.Replace(event(12), `,"key":"o-12"`, ``, 1)), kiterror.BadGateway},
		{page(12, strings.Replace(event(12), `2026-11-22T16:00:00Z`, `today`, 1)), kiterror.BadGateway},
		{page(12, strings.Replace(event(12), `"id"`, `"change":"moved","id"`, 1)), kiterror.BadGateway},
		{page(12, strings.Replace(event(12), `{"total":1}`, `[1]`, 1)), kiterror.BadGateway},
		{"503 ", kiterror.ServiceUnavailable},
		{"410 {}", kiterror.Gone},
		{"410 ", kiterror.Gone},
		{`400 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no","data":{"code":"VALIDATION_FAILED","message":"no"}}}`, kiterror.ValidationFailed},
	} {
		log, _ := factsOf(t, c.answer)
		events, behind, err := log.Log(t.Context(), 7, []string{"sales.orderPlaced"}, 10)
		if got := kiterror.AsError(err); got == nil || got.Code != c.code || len(events) > 0 || behind != 7 || strings.Contains(got.Message, "host/") {
			t.Errorf("%s: %v, %d events, %d", c.answer, err, len(events), behind)
		}
	}
	// What is not known is left alone, and what there is not is not needed.
	log, _ := factsOf(t, `200 {"more":1,"events":[{"id":"e","position":9,"name":"x","at":"2026-01-01T00:00:00+01:00","key":null,"new":[1]}],"position":9,"oldest":0,"last":9}`)
	if events, behind, err := log.Log(t.Context(), 7, nil, 10); err != nil || behind != 9 || len(events) != 1 || events[0].Frond != "sales" || events[0].At.Hour() != 23 {
		t.Errorf("a short event: %v, %d, %v", events, behind, err)
	}
}

// TestWaitingElsewhere: a host counts a backlog, or nobody does.
func TestWaitingElsewhere(t *testing.T) {
	for members, want := range map[string]string{
		`,"waiting":3,"since":"2026-01-01T00:00:00Z"`: "3 2026-01-01T00:00:00Z true",
		`,"since":null,"waiting":0`:                   "0 0001-01-01T00:00:00Z true",
		`,"since":"2026-01-01T00:00:00Z"`:             "0 0001-01-01T00:00:00Z false",
		``:                                            "0 0001-01-01T00:00:00Z false",
	} {
		log, _ := factsOf(t, `200 {"events":[],"position":"9","oldest":"0","last":"9"`+members+`}`)
		n, since, known, err := log.Behind(t.Context(), 7, []string{"sales.orderPlaced"})
		if got := fmt.Sprint(n, " ", since.Format(time.RFC3339), " ", known); got != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", members, got, err, want)
		}
	}
}

// TestGoneElsewhere: the oldest position of a host is one that a subscriber here can send.
func TestGoneElsewhere(t *testing.T) {
	for _, details := range []string{`,"details":{"oldest":"18"}`, `,"details":{"oldest":"bhoa06hmormn0"}`, ``} {
		log, _ := factsOf(t, `410 {"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"m","data":{"code":"GONE","message":"m"`+details+`}}}`)
		_, _, err := log.Log(t.Context(), 7, nil, 10)
		got := kiterror.AsError(err)
		var oldest any
		if d, ok := got.Details.(map[string]any); ok {
			oldest = d["oldest"]
		}
		if want := facade.Position(18).String(); got.Code != kiterror.Gone || strings.Contains(details, "18") != (oldest == want) || strings.Contains(details, "18") != strings.Contains(got.Message, want) {
			t.Errorf("%s: %v %v", details, err, got.Details)
		}
	}
}

// TestBrokenFactsAreLogged: the log says what is wrong with an answer, once for each reason; the
// error of a subscriber says nothing of it.
func TestBrokenFactsAreLogged(t *testing.T) {
	var text bytes.Buffer
	broken := page(12, strings.Replace(event(12), `{"total":1}`, `7`, 1))
	answers := []string{broken, broken, page(13, `{"id":"e"}`)}
	log := remote(t, "http://host", &client.Options{Retries: -1, Log: slog.New(slog.NewTextHandler(&text, nil)), Transport: tripper(func(*http.Request) (*http.Response, error) {
		body := strings.TrimPrefix(answers[0], "200 ")
		answers = answers[1:]
		return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}, nil
	})}).Facts("sales")
	for range 3 {
		if _, _, err := log.Log(t.Context(), 7, []string{"sales.orderPlaced"}, 10); kiterror.AsError(err).Code != kiterror.BadGateway || strings.Contains(err.Error(), "data") {
			t.Errorf("%v", err)
		}
	}
	if got := text.String(); strings.Count(got, "level=WARN") != 2 || !strings.Contains(got, "event 0: data is of another kind") || !strings.Contains(got, "frond=sales") {
		t.Error(got)
	}
}
