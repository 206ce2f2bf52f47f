package gateway

import (
	"net/http"
	"net/netip"
	"sync"
	"time"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/gateway/guard"
	"github.com/frondhost/frond/gateway/subscriptions"
)

// callers says of a caller what connections need that outlive a request.
type callers struct {
	expires func(access.State) time.Time
	refuse  func(address, user string) error
	network func(*http.Request) netip.Prefix

	mu sync.Mutex
	// keys are the keys of past requests' senders, mostKeys at most: making one for each
	// request costs allocations.
	keys map[sender]any
}

// sender is a user or, where user is "", a network.
type sender struct {
	user    string
	network netip.Prefix
}

const mostKeys = 10_000

// of is the key of a request's caller, ready for [facade.Request.By].
func (c *callers) of(r *http.Request, state access.State) any {
	s := sender{user: state.UserID()}
	if s.user == "" {
		s.network = c.network(r)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key, ok := c.keys[s]
	if !ok {
		key = c.key(guard.Address(s.network, r), state)
	}
	if !ok && (s.user != "" || s.network.IsValid()) {
		if len(c.keys) >= mostKeys {
			clear(c.keys)
		}
		c.keys[s] = key
	}
	return key
}

// address is where a request comes from, as text.
func (c *callers) address(r *http.Request) string { return guard.Address(c.network(r), r) }

// key identifies the caller for the limits: a user by the id, an anonymous caller by the address.
func (c *callers) key(address string, state access.State) string {
	if id := state.UserID(); id != "" {
		return "user " + id
	}
	return subscriptions.ByAddress + address
}
