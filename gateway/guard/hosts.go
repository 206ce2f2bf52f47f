package guard

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/gateway/setting"
)

// Hosts are further names, besides localhost, that a listener on loopback answers to. A page
// can have its own name resolve to 127.0.0.1 (DNS rebinding); to the browser this gateway
// is then that page's own site, and only the Host header shows it (docs/decisions/http-guards.md).
type Hosts []string

// NewHosts is the names of the setting hosts, in the form in which they are compared.
func NewHosts(names []string) Hosts {
	var h Hosts
	for _, name := range names {
		h = append(h, strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	}
	return h
}

// contains reports whether a Host header, or the host of an origin, means this machine.
func (h Hosts) contains(host string) bool {
	name := host
	if bare, _, err := net.SplitHostPort(host); err == nil {
		name = bare
	}
	name = strings.TrimSuffix(strings.Trim(name, "[]"), ".")
	if strings.EqualFold(name, "localhost") {
		return true
	}
	if ip, err := netip.ParseAddr(name); err == nil && ip.Unmap().IsLoopback() {
		return true
	}
	return slices.ContainsFunc(h, func(own string) bool { return strings.EqualFold(name, own) })
}

// ownOrigin reports whether the page of an origin comes from this machine.
func (h Hosts) ownOrigin(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && u.Host != "" && h.contains(u.Host)
}

// loopbackKey marks the requests of a listener that only this machine reaches.
type loopbackKey struct{}

// WithListener is the base context of a listener's requests: without it a [Front]
// lets every request pass.
func WithListener(ctx context.Context, l net.Listener) context.Context {
	if setting.Loopback(l.Addr().String()) {
		ctx = context.WithValue(ctx, loopbackKey{}, true)
	}
	return ctx
}

// refuse returns the error, for status 421, of a request for another name on a listener that only
// this machine reaches; nil: it passes. A request of HTTP/1.0 may have no Host, is no browser's, and
// passes.
func (h Hosts) refuse(r *http.Request) *kiterror.Error {
	if r.Context().Value(loopbackKey{}) == nil || h.contains(r.Host) || r.Host == "" && !r.ProtoAtLeast(1, 1) {
		return nil
	}
	return kiterror.Errorf(kiterror.BadRequest,
		"the host %.255q is unknown here; use localhost, or add it to hosts (FROND_HOSTS)", r.Host)
}

var errHosts = errors.New("write names without scheme and port, such as [shop.test, shop.example]; patterns are not taken")

// ReadHosts reads the names of the setting hosts: as in an address, without
// scheme and port.
func ReadHosts(text string) ([]string, error) {
	names, err := setting.List(text)
	if err != nil {
		return nil, errHosts
	}
	for _, name := range names {
		_, noAddress := netip.ParseAddr(strings.Trim(name, "[]"))
		if noAddress != nil && strings.ContainsFunc(name, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.')
		}) {
			return nil, errHosts
		}
	}
	return names, nil
}
