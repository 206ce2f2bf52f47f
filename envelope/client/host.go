package client

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// host is one host with the parts that its calls share: sending of frames, knowledge of the
// host, reading and checking of its answers.
type host struct {
	options     *Options
	sender      *sender
	known       knowledge
	conformance conformance
	results     reader
	lastID      atomic.Int64
}

// newHost makes the host at a base address; opts may be nil.
func newHost(base string, opts *Options) *host {
	s := newSender(base, opts)
	return &host{options: s.endpoint.options, sender: s, known: knowledge{missing: map[string]time.Time{}, lists: map[string]listForm{}}, conformance: conformance{options: s.endpoint.options, checked: map[string]time.Time{}, logged: map[string]bool{}}}
}

// single makes a call as one frame in one post.
func (h *host) single(ctx context.Context, p *pending, method string, params, query json.RawMessage) (*facade.Result, *kiterror.Error) {
	var result *facade.Result
	var unread *kiterror.Error
	answer, f := h.frame(ctx, p, h.options.MaxAnswer, method,
		func(dst []byte) []byte { return p.appendInvocation(dst, params, query) },
		func(text []byte, at int) (end int) {
			result, end, unread = h.results.readAt(text, at, p.op)
			return end
		})
	switch {
	case f != nil: // on the way
		return nil, f.err()
	case answer.Err != nil: // at the host, unchanged (spec 7.3)
		return nil, answer.Err
	case unread != nil:
		return nil, unread
	}
	id := p.call.Invocation.ID
	if id == nil {
		id = jsontext.Get(params, "id")
	}
	if err := p.another(id, result); err != nil {
		return nil, err
	}
	return h.admit(p, result, jsontext.KindOf(answer.Result) == jsontext.Array)
}

// frame posts one frame and reads its answer, as [envelope.ReadResponse] does; most bounds the
// bytes of the answer. The failure is one on the way; one that the host answered is
// Response.Err.
func (h *host) frame(ctx context.Context, p *pending, most int64, method string, params func([]byte) []byte, result func(text []byte, at int) (end int)) (envelope.Response, *failure) {
	var answer envelope.Response
	id := h.lastID.Add(1)
	out := &post{
		frames: envelope.AppendRequest(make([]byte, 0, 512), id, method, params), most: most,
		command: p.kind == catalog.Command, trace: p.call.Invocation.Trace, discovery: method == envelope.Discover,
		read: readOne(id, &answer, result), sent: &p.posts,
	}
	if answer.Err = h.sign(out, p); answer.Err != nil {
		return answer, nil
	}
	return answer, h.sender.send(ctx, out)
}

// readOne reads the answer to one frame into a response, its result by result.
//
//	no frame                             frameless
//	the signature is refused             signatureRefused
//	a failure with our id, or with null  the answer
//	another id                           wrongFrame
//	a result under another status        frameless: a proxy changed it
func readOne(id int64, into *envelope.Response, result func(text []byte, at int) int) func(int, http.Header, []byte) *failure {
	return func(status int, header http.Header, body []byte) *failure {
		r, ok := envelope.ReadResponse(body, result)
		answers := ok && r.Answers(id)
		switch {
		case !ok:
			return frameless(status, header)
		case unsigned(header, r.Err) != nil:
			return unsigned(header, r.Err)
		case r.Err != nil && (answers || r.ID == "null"): // null: the host could not read the frame
		case !answers:
			return &failure{kind: wrongFrame}
		case status != http.StatusOK:
			return frameless(status, header)
		}
		*into = r
		return nil
	}
}

// sign seals a post, where posts are signed: it gets a token each time it is sent. The error
// is BAD_REQUEST: the call has no canonical text (signing.Seal).
func (h *host) sign(out *post, p *pending) (err *kiterror.Error) {
	if h.options.Signer == nil {
		return nil
	}
	frond := p.frond()
	if frond == "" {
		frond = h.options.Name
	}
	out.sealed, err = h.options.Signer.Seal(out.frames, frond, p.state)
	return err
}

// read reads the text of a result in the form of the call's operation, checks it and cuts it to
// the requested page.
func (h *host) read(p *pending, text json.RawMessage) (*facade.Result, *kiterror.Error) {
	if jsontext.KindOf(jsontext.Get(p.call.Invocation.Query, catalog.Rehearse)) == jsontext.True {
		return &facade.Result{Form: facade.FormValue, Value: text, Rehearsed: true}, nil
	}
	result, err := h.results.read(text, p.op)
	if err != nil {
		return nil, err
	}
	return h.admit(p, result, jsontext.KindOf(text) == jsontext.Array)
}

// admit checks a result and makes the requested page of it; bare: it was an array.
func (h *host) admit(p *pending, result *facade.Result, bare bool) (*facade.Result, *kiterror.Error) {
	if err := h.conformance.check(p, result); err != nil {
		return nil, err
	}
	if result.Form == facade.FormPage && p.isList() {
		p.page(&h.results, result, bare)
	}
	return result, nil
}

// status is the current state of the host.
func (h *host) status() Status {
	s := Status{Name: h.options.Name, Breaker: h.sender.guard.breaker.State().String()}
	h.sender.counters.read(&s)
	h.known.read(&s)
	return s
}
