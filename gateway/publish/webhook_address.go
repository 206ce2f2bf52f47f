package publish

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// errRefused is wrapped by the error of a connection to a forbidden address. The address is not
// in it: it would show a receiver's operator how names resolve here.
var errRefused = errors.New("the address is not a public one, and allow does not name it")

// errPlain is the error of http:// to an address that allow does not name.
var errPlain = errors.New("http:// is sent only to addresses that allow names; write https://")

// special are the blocks that no public service has, from the registries of special-purpose
// addresses (RFC 6890 and its updates), and one address beyond them: Azure's machines answer
// secrets at 168.63.129.16. 6to4, Teredo and NAT64 lead to addresses of version 4, which may be
// private ones.
var special = prefixes(
	"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "168.63.129.16/32", "169.254.0.0/16", "172.16.0.0/12",
	"192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)

// global is the range of version 6 that the Internet's registries assign. Loopback, mapped,
// unique-local, link-local, site-local and multicast addresses are outside of it.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// public reports whether an address is one of the Internet.
func public(ip netip.Addr) bool {
	if ip.Is6() && !global.Contains(ip) {
		return false
	}
	return !within(special, ip)
}

// within reports whether one of the blocks has the address.
func within(blocks []netip.Prefix, ip netip.Addr) bool {
	for _, block := range blocks {
		if block.Contains(ip) {
			return true
		}
	}
	return false
}

// gate decides which addresses may be connected to.
type gate struct {
	allow []netip.Prefix // in addition to public ones
	plain bool           // the URL is http://: only these
}

// check judges the address of a new connection. An address of version 4 in the form of version
// 6 (::ffff:127.0.0.1) is judged as version 4.
func (g *gate) check(ip netip.Addr) error {
	ip = ip.Unmap().WithZone("")
	switch {
	case within(g.allow, ip):
		return nil
	case !public(ip):
		return errRefused
	case g.plain:
		return errPlain
	}
	return nil
}

// control is called by the dialer between the resolution of the name and the connection, with
// the address of the connection: a later resolution has no effect.
func (g *gate) control(_ context.Context, network, address string, _ syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return fmt.Errorf("%w: %s", errRefused, network)
	}
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return errRefused
	}
	return g.check(at.Addr())
}

// dialer connects to the addresses that the gate allows.
func (g *gate) dialer(resolver *net.Resolver) *net.Dialer {
	return &net.Dialer{Timeout: connectTime, KeepAlive: 30 * time.Second, ControlContext: g.control, Resolver: resolver}
}

// isCertificate reports whether a handshake failed on the receiver's certificate.
func isCertificate(err error) bool {
	var verification *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var unknown x509.UnknownAuthorityError
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &unknown)
}
