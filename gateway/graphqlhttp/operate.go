package graphqlhttp

import (
	"context"
	"encoding/json"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/resolvers"
	"github.com/frondhost/frond/schema/jsontext"
)

// Operate begins an operation that came otherwise than as the body of a request: payload is a
// valid JSON text with the same members, and documents are found and trusted as for a request.
// One of the results is nil. The response of a query or a mutation, and of a subscription that
// is refused, is to be released.
func (h *Handler) Operate(ctx context.Context, payload json.RawMessage, state facade.State) (*resolvers.Subscription, *resolvers.Response) {
	m, refused := readObject(payload)
	if refused != nil {
		return nil, refused.response()
	}
	return h.operate(ctx, m, state, "")
}

// operate begins the operation of a request of any type.
func (h *Handler) operate(ctx context.Context, m *members, state facade.State, trace string) (*resolvers.Subscription, *resolvers.Response) {
	query, remember, refused := h.document(ctx, m)
	if refused != nil {
		return nil, refused.response()
	}
	s, res := h.engine.Open(ctx, m.request(query, state, trace))
	if s != nil {
		// It is admitted, which counts as executed: what follows are events.
		h.executed(ctx, &resolvers.Response{Type: "subscription", Name: s.Name, Executed: true}, query, remember)
		return s, nil
	}
	h.executed(ctx, res, query, remember)
	return nil, res
}

// response is a refusal where no header can be written.
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
