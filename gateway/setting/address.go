package setting

import (
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// Address reads an address to listen on: host:port.
func Address(text string) (string, error) {
	_, port, err := net.SplitHostPort(text)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return "", errors.New("write host:port such as 127.0.0.1:8080; port 0 takes any free one")
	}
	return text, nil
}

// Loopback reports whether an address, with a port or without, is one that only this
// machine reaches. Of names that is localhost alone.
func Loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		host = address
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}
