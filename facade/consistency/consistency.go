// Package consistency lets a caller read its own writes where reads go to copies of a
// store that are some moments late (docs/decisions/several-gateways.md).
//
// A store that has such copies issues a token with each write: how far a copy has to be to show
// it. The answer carries the token in [Header]; the caller sends it along with later requests,
// and a read goes to a copy that is that far, or to the store itself. A read without a token
// may go to any copy.
//
// A token is opaque to everybody but the store that issued it, except for its form:
//
//	store.position.seal    8Q2xPa.000000000A3F2210.x1vQ…
//
// store names the store among all that a caller may reach through a gateway, position is
// of a fixed length and grows as text, and seal keeps others from making tokens. A header
// has one token for each store, separated by commas.
package consistency

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/frondhost/frond/facade/kiterror"
)

// Header is the HTTP header of tokens, in requests and in answers.
const Header = "X-Frond-Consistency"

// Both bound the tokens that a caller may have the gateway hold and send on.
const (
	maxTokens = 16
	maxToken  = 128 // bytes
)

// Record has the writes that one request has to see of each store, and its own writes. Its
// methods may be called from many goroutines, and on nil, which stays empty.
type Record struct {
	mu     sync.Mutex
	tokens map[string]string // by store, the newest
	wrote  bool
}

// Read reads the lines of a request's header; there may be 0. Texts that are no tokens are
// BAD_REQUEST; whether a store issued them is for the store to say.
func Read(lines []string) (*Record, error) {
	r := &Record{}
	for _, line := range lines {
		for token := range strings.SplitSeq(line, ",") {
			if token = strings.Trim(token, " \t"); token != "" && !r.add(token) {
				return nil, Invalid()
			}
		}
	}
	return r, nil
}

// Invalid is the BAD_REQUEST of a header that no store issued.
func Invalid() *kiterror.Error {
	return kiterror.Errorf(kiterror.BadRequest, "the header %s was not issued here; send the last answer's, or leave it out", Header)
}

// add keeps a token unless a newer one of its store is there; false: the text is no token.
func (r *Record) add(token string) bool {
	store, rest, _ := strings.Cut(token, ".")
	position, seal, whole := strings.Cut(rest, ".")
	if !whole || store == "" || position == "" || seal == "" || len(token) > maxToken || !plain(store) || !plain(position) || !plain(seal) {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	old, known := r.tokens[store]
	if !known && len(r.tokens) >= maxTokens {
		return false
	}
	if known && old >= token {
		return true
	}
	if r.tokens == nil {
		r.tokens = map[string]string{}
	}
	r.tokens[store] = token
	return true
}

// plain says whether a part of a token is letters, digits, - and _ alone.
func plain(part string) bool {
	return !strings.ContainsFunc(part, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_'
	})
}

// Wrote notes the token that a store issued for a write of this request. Later reads of
// the request see the write, and the answer carries the token.
func (r *Record) Wrote(token string) {
	if r == nil || !r.add(token) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrote = true
}

// Learned notes the tokens of an answer of another host, as its header's lines.
func (r *Record) Learned(lines []string) {
	for _, line := range lines {
		for token := range strings.SplitSeq(line, ",") {
			r.Wrote(strings.Trim(token, " \t"))
		}
	}
}

// Of returns the token that reads of a store have to heed, or "".
func (r *Record) Of(store string) string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.tokens[store]
}

// Text returns all tokens as the value of a header, in a fixed order, or "". Requests to other
// hosts carry it, and equal reads have equal texts.
func (r *Record) Text() string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.tokens) == 0 {
		return ""
	}
	return strings.Join(slices.Sorted(maps.Values(r.tokens)), ", ")
}

// Answer returns the header's value for the answer; "" after a request without writes, whose
// answer has no such header. It holds the tokens that the caller sent, too, so that a caller
// only ever has to keep the last one.
func (r *Record) Answer() string {
	if r == nil {
		return ""
	}
	r.mu.Lock()
	wrote := r.wrote
	r.mu.Unlock()
	if !wrote {
		return ""
	}
	return r.Text()
}

type key struct{}

// With is ctx for the calls of a request with this record.
func With(ctx context.Context, r *Record) context.Context { return context.WithValue(ctx, key{}, r) }

// From returns the record of ctx's request. nil: the caller sends no tokens, and reads from the
// store itself.
func From(ctx context.Context) *Record {
	r, _ := ctx.Value(key{}).(*Record)
	return r
}

type latest struct{}

// Latest is ctx for a command: its reads decide its writes, and come from the store itself. It
// is ctx without a record.
func Latest(ctx context.Context) context.Context {
	if From(ctx) == nil {
		return ctx
	}
	return context.WithValue(ctx, latest{}, true)
}

// Copies returns the record of a read that may go to a copy. nil: it is one of the store
// itself.
func Copies(ctx context.Context) *Record {
	r := From(ctx)
	if r != nil && ctx.Value(latest{}) != nil {
		return nil
	}
	return r
}
