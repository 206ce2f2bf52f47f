package rest

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facts/sse"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// lastEventID is the header of a client that connects again: the id of the last event it has.
const lastEventID = "Last-Event-ID"

var errNoStreams = kiterror.Errorf(kiterror.NotImplemented, "this host streams no facts; read the rows in place of them")

// subscriber reads from a request for a stream who asks for it. The path takes the methods in allow.
// Without an error, more is false after a request for its options, which is answered.
func (x *exchange) subscriber(allow string) (state access.State, more bool, err error) {
	methods := strings.Split(allow, ", ")
	if x.r.Method == http.MethodOptions || !slices.Contains(methods, x.r.Method) {
		x.w.Header().Set("Allow", allow)
	}
	switch {
	case x.r.Method == http.MethodOptions:
		x.send(http.StatusNoContent, nil)
		return nil, false, nil
	case !slices.Contains(methods, x.r.Method):
		return nil, false, kiterror.Errorf(kiterror.MethodNotAllowed, "this path is served under %s", allow)
	}
	if state, err = x.identify(); err != nil {
		return nil, false, err
	}
	if accepted, _ := sse.Accepts(x.r.Header["Accept"]); !accepted {
		x.status = http.StatusNotAcceptable
		return nil, false, kiterror.Errorf(kiterror.BadRequest, "facts leave as a stream of events; send Accept: %s", sse.MediaType)
	}
	if x.handler.options.Streams.Facts == nil {
		return nil, false, errNoStreams
	}
	return state, true, nil
}

// serveFact answers the path of a fact with a stream of its events, as long as the client
// stays.
func (x *exchange) serveFact() error {
	state, more, err := x.subscriber("GET, HEAD, OPTIONS")
	if err != nil || !more {
		return err
	}
	sub := facade.Subscription{Frond: x.match.frond, Fact: x.match.fact, State: state, View: x.handler.table.catalog, Versions: true}
	after, err := x.readFact(&sub)
	if err != nil {
		return err
	}
	s, err := x.open(&sub, after)
	if err != nil {
		return err
	}
	if x.r.Method == http.MethodHead {
		s.Reader.Close()
		s.Closed()
		x.w.Header()["Content-Type"] = []string{sse.MediaType}
		x.w.Header().Set("Cache-Control", "no-store")
		x.send(http.StatusOK, nil)
		return nil
	}
	x.stream(s)
	return nil
}

// open admits a subscriber, takes a place for the stream and begins to read. The caller has to
// serve the stream, or give its reader and its place back.
func (x *exchange) open(sub *facade.Subscription, after string) (*factStream, error) {
	facts := x.handler.options.Streams.Facts
	watch, err := facts.Watch(x.ctx, sub)
	if err != nil {
		return nil, err
	}
	leave, err := x.place(sub.State)
	if err != nil {
		return nil, err
	}
	reader, err := facts.Subscribe(x.ctx, watch.Fact(), after)
	if err != nil {
		leave()
		return nil, err
	}
	return &factStream{Sub: *sub, Watch: watch, Reader: reader, Closed: leave}, nil
}

// stream answers with a stream, as long as the client stays, which may be longer than the
// request. The stream has a budget of its own, and takes the place in it.
func (x *exchange) stream(s *factStream) {
	s.Options, s.Report, s.Begun = &x.handler.streams, x.reporter(), x.outlive()
	s.Serve(x.w, x.r)
}

// outlive prepares a response that lasts longer than the request. begun closes the account of
// the request.
func (x *exchange) outlive() (begun func()) {
	account := x.account
	x.wrote, x.account = true, nil
	account.End()
	x.deprecate()
	x.w.Header()["Vary"] = vary
	return account.Close
}

// reporter returns errors as the client of a stream may see them, and logs the rest.
func (x *exchange) reporter() func(error) *kiterror.Error {
	log, trace := x.handler.options.Log, x.r.Header.Get("Traceparent")
	return func(err error) *kiterror.Error { return kiterror.Report(context.Background(), log, err, trace) }
}

// place takes a place for a stream. leave is never nil without an error.
func (x *exchange) place(state access.State) (leave func(), err error) {
	if x.handler.streams.Place == nil {
		return func() {}, nil
	}
	return x.handler.streams.Place(x.r, state)
}

// identify returns the caller's state.
func (x *exchange) identify() (access.State, error) {
	if x.handler.options.State == nil {
		return nil, nil
	}
	return x.handler.options.State(x.r)
}

// readFact reads the parameters of a stream: filter and fields into sub, and where to begin.
func (x *exchange) readFact(sub *facade.Subscription) (after string, _ error) {
	parameters, refused := parseQuery(x.r.URL.RawQuery)
	if refused != nil {
		return "", refused
	}
	a := arguments{}
	var conditions []parameter
	var filter *parameter
	for i, p := range parameters {
		single := len(p.values) == 1
		switch {
		case strings.HasPrefix(p.name, "filter["):
			conditions = append(conditions, p)
		case p.name == fieldsParameter:
			sub.Select = readFields(p.values)
		case !single && (p.name == "after" || p.name == "filter"):
			a.refuse(p.name, "maxItems", "is sent more than once; send it once")
		case p.name == "after":
			after = p.values[0]
		case p.name == "filter":
			filter = &parameters[i]
		default:
			a.refuse(p.name, schema.UnknownKey, "is not a parameter of a stream; there are after, filter and fields")
		}
	}
	switch {
	case filter != nil && conditions != nil:
		a.refuse("filter", "oneOf", "is sent both as JSON and in brackets; send one of the two")
	case filter != nil:
		if err := jsontext.Check([]byte(filter.values[0])); err != nil {
			a.refuse("filter", "type", "is not a JSON object: "+err.Error())
		}
		sub.Filter = []byte(filter.values[0])
	case conditions != nil:
		sub.Filter = readFilter(&a, "filter", conditions, x.handler.table.carried(x.match.frond, x.match.fact), ofRows)
	}
	if err := a.refusal(); err != nil {
		return "", err
	}
	// A client that connects again repeats the URL: its last event is newer.
	if last := x.r.Header.Get(lastEventID); last != "" {
		after = last
	}
	return after, nil
}

// carried is the card of a fact's data, which gives the types of a filter's texts, or nil.
func (t *Table) carried(frond, fact string) *schema.Entity {
	if f := t.catalog.Fact(frond, fact); f != nil {
		return f.Data
	}
	return nil
}

// A list with Accept: text/event-stream is the list, and then its changes:
//
//	event: list         {"items":[…],"total":…,…}
//	event: postChanged  {"id":"…","change":"created","data":{…},…}
//
// The log is followed from before the list is read, so that no event between the two is
// missing. An event in between is in the list and is read again; it is left out if the list
// already shows its change.

// wantsChanges reports whether a list is asked for as a stream.
func (x *exchange) wantsChanges() bool {
	if x.r.Method != http.MethodGet || x.op.Name != "list" || !x.op.Builtin || len(x.r.Header["Accept"]) == 0 {
		return false
	}
	_, preferred := sse.Accepts(x.r.Header["Accept"])
	return preferred
}

// serveChanges answers a list whose call was read.
func (x *exchange) serveChanges() error {
	facts, fact := x.handler.options.Streams.Facts, changesOf(x.op.Door)
	if fact == nil || facts == nil {
		x.status = http.StatusNotAcceptable
		return kiterror.Errorf(kiterror.BadRequest, "%s publishes no change events; send Accept: %s, or write changes: [%s] in the frond.yaml of %s",
			x.op.Door.Plural, mediaJSON, x.op.Door.Name, x.op.Door.Frond.Name)
	}
	sub := facade.Subscription{
		Frond: fact.Frond.Name, Fact: fact.Name, State: x.call.Invocation.State, View: x.handler.table.catalog,
		Filter: jsontext.Get(x.call.Invocation.Query, "filter"), Select: x.selected(), Versions: true,
	}
	last := x.r.Header.Get(lastEventID)
	s, err := x.open(&sub, last)
	if err != nil {
		return err
	}
	if last == "" { // else the client has the list
		// A copy of the store may lag the position.
		x.ctx = consistency.Latest(x.ctx)
		result, err := x.handler.caller.Call(x.ctx, &x.call)
		if err == nil && result == nil {
			err = errNoAnswer
		}
		if err != nil {
			s.Reader.Close()
			s.Closed()
			return err
		}
		s.List(x.op.Door, result)
	}
	x.stream(s)
	return nil
}

// changesOf is the fact that announces the changes of a door, or nil.
func changesOf(door *catalog.Door) *catalog.Fact {
	at := slices.IndexFunc(door.Frond.Facts, func(f *catalog.Fact) bool { return f.Changes && f.Name == catalog.ChangesName(door.Name) })
	if at < 0 {
		return nil
	}
	return door.Frond.Facts[at]
}

// selected are the fields that a list answers; nil: all.
func (x *exchange) selected() []string {
	switch value := jsontext.Get(x.call.Invocation.Query, fieldsParameter); jsontext.KindOf(value) {
	case jsontext.String:
		return readFields([]string{jsontext.Unquote(value)})
	case jsontext.Array:
		names := []string{}
		for _, item := range jsontext.Elements(value) {
			names = append(names, jsontext.Unquote(item))
		}
		return names
	}
	return x.call.Select
}
