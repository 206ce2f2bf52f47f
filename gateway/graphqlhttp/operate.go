package graphqlhttp

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// Operate begins an operation that came otherwise than as the body of a request: payload is a
// valid JSON text with the same members, and documents are found and trusted as for a request.
// One of the results is nil. The response of a query or a mutation, and of a subscription that
// is refused, is to be released.
func (h *Handler) Operate(ctx context.Context, payload json.RawMessage, state access.State) (*resolvers.Subscription, *resolvers.Response) {
	m, refused := readObject(payload)
	if refused != nil {
		return nil, refused.response()
	}
	return h.operate(ctx, m, state, "")
}

// Read reads a request whose response does not leave as its answer, and identifies its caller.
// extensions are the member of that name, or nil. Where ok is false, a refusal was written.
func (h *Handler) Read(w http.ResponseWriter, r *http.Request) (begin func(context.Context) (*resolvers.Subscription, *resolvers.Response), extensions json.RawMessage, state access.State, ok bool) {
	account, err := h.Budget.Hold()
	if err != nil {
		crowded(err).write(w, mediaJSON)
		return nil, nil, nil, false
	}
	defer account.Return()
	m, refused := h.read(w, r, mediaJSON, account)
	if refused == nil {
		state, refused = h.state(r)
	}
	if refused != nil {
		refused.write(w, mediaJSON)
		return nil, nil, nil, false
	}
	trace := r.Header.Get("Traceparent")
	return func(ctx context.Context) (*resolvers.Subscription, *resolvers.Response) {
		return h.operate(ctx, m, state, trace)
	}, m.extensions, state, true
}

// Refuse is the function of that name, for those who answer in place of the handler.
func (h *Handler) Refuse(w http.ResponseWriter, r *http.Request, status int, err *kiterror.Error) {
	Refuse(w, r, status, err)
}

// Identify identifies the caller of a request. Where ok is false, a refusal was written.
func (h *Handler) Identify(w http.ResponseWriter, r *http.Request) (state access.State, ok bool) {
	state, refused := h.state(r)
	if refused != nil {
		refused.write(w, mediaJSON)
	}
	return state, refused == nil
}

// operate begins the operation of a request of any type.
func (h *Handler) operate(ctx context.Context, m *members, state access.State, trace string) (s *resolvers.Subscription, res *resolvers.Response) {
	defer func() {
		// Operations of sockets and of reserved streams run in goroutines of their own, so a panic
		// is rescued here.
		if p := recover(); p != nil {
			s, res = nil, reported(kiterror.Report(ctx, h.Log, kiterror.Panicked(p), trace)).response()
		}
	}()
	query, remember, refused := h.document(ctx, m)
	if refused != nil {
		return nil, refused.response()
	}
	s, res = h.engine.Open(ctx, m.request(query, state, trace))
	if s != nil {
		// It is admitted, which counts as executed: events follow.
		h.executed(ctx, &resolvers.Response{Type: "subscription", Name: s.Name, Executed: true}, query, remember)
		return s, nil
	}
	h.executed(ctx, res, query, remember)
	return nil, res
}

// response is a refusal as a message, which has no headers.
func (f *refusal) response() *resolvers.Response {
	return &resolvers.Response{Body: f.body(), Status: f.status, RetryAfter: f.after}
}

// body is a refusal as a GraphQL response.
func (f *refusal) body() []byte {
	body := append([]byte(`{"errors":[{"message":`), jsontext.Quote(f.text)...)
	body = append(append(body, `,"extensions":{"code":`...), jsontext.Quote(string(f.code))...)
	if f.trace != "" {
		body = append(append(body, `,"traceId":`...), jsontext.Quote(f.trace)...)
	}
	return append(body, `}}]}`...)
}
