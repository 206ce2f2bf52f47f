package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/frondhost/frond/facade/kiterror"
)

// againAfter is how long followURL waits before it connects again.
const againAfter = time.Second

// followURL prints the events of facts of a gateway, each over a stream of its own, until ctx
// is done. A stream that ends is opened again after the last event printed.
func (s *shell) followURL(ctx context.Context, base string, names []string, after string, headers http.Header) error {
	if !strings.HasPrefix(base, "http://") && !strings.HasPrefix(base, "https://") {
		return fmt.Errorf("--url cannot be %q; write an address such as http://127.0.0.1:8080", base)
	}
	if len(names) == 0 {
		return fmt.Errorf("no fact is named; a gateway streams each at a path of its own, so write FROND.FACT, such as sales.orderPlaced")
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	events, ended := make(chan *outwardEvent), make(chan error, len(names))
	for _, name := range names {
		frond, fact, ok := strings.Cut(name, ".")
		if !ok || frond == "" || fact == "" {
			return fmt.Errorf("%q names no fact at --url; write FROND.FACT, such as sales.orderPlaced", name)
		}
		st := &eventStream{url: strings.TrimSuffix(base, "/") + "/api/" + url.PathEscape(frond) + "/facts/" + url.PathEscape(fact), headers: headers, after: after, to: events}
		go func() { ended <- st.follow(ctx) }()
	}
	for {
		select {
		case e := <-events:
			if err := s.writeEvent(e); err != nil {
				return err
			}
		case err := <-ended:
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
	}
}

// eventStream follows one fact of a gateway.
type eventStream struct {
	url     string
	headers http.Header
	after   string // the position of the last event printed; "": now
	opened  bool   // the host has streamed
	to      chan<- *outwardEvent
}

// follow reads until ctx is done, or the host refuses. A host that cannot be reached at first
// is an error, and is waited for later.
func (st *eventStream) follow(ctx context.Context) error {
	for {
		refused, err := st.read(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if refused || !st.opened {
			return err
		}
		select {
		case <-time.After(againAfter):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// read opens the stream and reads it to its end. refused: the host has answered, and will not
// answer otherwise.
func (st *eventStream) read(ctx context.Context) (refused bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, st.url, nil)
	if err != nil {
		return true, fmt.Errorf("--url cannot be used: %w", err)
	}
	maps.Copy(req.Header, st.headers)
	req.Header.Set("Accept", "text/event-stream")
	if st.after != "" {
		req.URL.RawQuery = "after=" + url.QueryEscape(st.after)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return false, kiterror.Errorf(kiterror.ServiceUnavailable, "%s cannot be reached", st.url).WithCause(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK || !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		return resp.StatusCode < 500, failureOf(resp)
	}
	st.opened = true
	lines := bufio.NewReader(resp.Body)
	var data string
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return false, kiterror.Errorf(kiterror.ServiceUnavailable, "the stream of %s has ended", st.url).WithCause(err)
		}
		field, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		switch value = strings.TrimPrefix(value, " "); {
		case field == "data":
			data += value
		case field == "id" && value != "":
			st.after = value
		case field == "" && value == "" && data != "":
			e := &outwardEvent{}
			if err := json.Unmarshal([]byte(data), e); err != nil || e.ID == "" {
				return true, fmt.Errorf("%s sends data that is not an event; is it the address of a gateway?", st.url)
			}
			data = ""
			select {
			case st.to <- e:
			case <-ctx.Done():
				return false, ctx.Err()
			}
		}
	}
}

// failureOf is the failure that a host answers.
func failureOf(resp *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(resp.Body, 1<<20)) // what arrived is judged
	var problem struct {
		Data *kiterror.Error `json:"data"`
	}
	if json.Unmarshal(text, &problem) == nil && problem.Data != nil && problem.Data.Code != "" {
		return problem.Data
	}
	return kiterror.Errorf(kiterror.BadGateway, "the answer is not a stream of events: status %d; is %s the address of a gateway?", resp.StatusCode, resp.Request.URL.Host)
}
