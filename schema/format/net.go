package format

import (
	"strings"
)

// isEmail says whether s is a Mailbox of RFC 5321, section 4.1.2: a dotted or quoted local
// part of at most 64 characters (section 4.5.3.1.1), and a host name or an address in
// brackets. Letters beyond ASCII are not accepted.
//
//	ada@example.org   "ada lovelace"@example.org   ada@[192.0.2.1]   ada@[IPv6:2001:db8::1]
func isEmail(s string) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 {
		return false
	}
	local, host := s[:at], s[at+1:]
	if len(local) > 1 && local[0] == '"' && local[len(local)-1] == '"' {
		for i := 1; i < len(local)-1; i++ {
			switch c := local[i]; {
			case c == '\\':
				if i++; i == len(local)-1 || local[i] < ' ' || local[i] > '~' {
					return false
				}
			case c < ' ' || c > '~' || c == '"':
				return false
			}
		}
	} else {
		for atom := range strings.SplitSeq(local, ".") {
			if atom == "" {
				return false
			}
			for i := 0; i < len(atom); i++ {
				if c := atom[i]; !isAlnum(c) && strings.IndexByte("!#$%&'*+-/=?^_`{|}~", c) < 0 {
					return false
				}
			}
		}
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		inner, ok = strings.CutSuffix(inner, "]")
		if tag := "IPv6:"; len(inner) >= len(tag) && strings.EqualFold(inner[:len(tag)], tag) {
			return ok && isIPv6(inner[len(tag):])
		}
		return ok && isIPv4(inner)
	}
	return isHostname(host)
}

// isHostname says whether s is a host name of RFC 1123, section 2.1: labels of 1 to 63 letters,
// digits and hyphens, no hyphen at either end, 253 characters at most and no dot at the end. A
// label that begins with xn-- has to decode to a name that IDNA 2008 allows (RFC 5890, section
// 2.3.2.1).
func isHostname(s string) bool {
	if s == "" || len(s) > 253 {
		return false
	}
	for label := range strings.SplitSeq(s, ".") {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := 0; i < len(label); i++ {
			if c := label[i]; !isAlnum(c) && c != '-' {
				return false
			}
		}
		if len(label) > 4 && strings.EqualFold(label[:4], "xn--") && !isALabel(label) || strings.EqualFold(label, "xn--") {
			return false
		}
	}
	return true
}

// isIPv4 says whether s is a dotted quad (RFC 2673, section 3.2): four numbers of at most 255,
// without leading zeros, which some readers take for octal.
func isIPv4(s string) bool {
	n := 0
	for part := range strings.SplitSeq(s, ".") {
		v, ok := digits(part)
		if n++; !ok || part == "" || len(part) > 3 || v > 255 || len(part) > 1 && part[0] == '0' {
			return false
		}
	}
	return n == 4
}

// isIPv6 says whether s is eight groups of hexadecimal digits (RFC 4291 section 2.2):
// a run of zeros left out at most once, the last two groups perhaps as IPv4.
func isIPv6(s string) bool {
	head, tail, gap := strings.Cut(s, "::")
	if strings.Contains(tail, "::") {
		return false
	}
	n, ok := groups(head, !gap)
	m, ok2 := groups(tail, true)
	if !ok || !ok2 {
		return false
	}
	if gap {
		// "::" replaces one group of zeros at least.
		return n+m < 8
	}
	return n == 8
}

// groups counts the 16-bit groups of a part of an IPv6 address. With v4 set, the last of them
// may be an IPv4 address, which counts as two. An empty text has 0 groups.
func groups(s string, v4 bool) (int, bool) {
	if s == "" {
		return 0, true
	}
	n := 0
	parts := strings.Split(s, ":")
	for i, g := range parts {
		if v4 && i == len(parts)-1 && strings.Contains(g, ".") {
			return n + 2, isIPv4(g)
		}
		if n++; g == "" || len(g) > 4 {
			return 0, false
		}
		for k := 0; k < len(g); k++ {
			if !isHexDigit(g[k]) {
				return 0, false
			}
		}
	}
	return n, true
}

// isAlnum says whether c is an ASCII letter or digit.
func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
