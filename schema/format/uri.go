package format

import "strings"

// isURI says whether s is a URI of RFC 3986, section 3: a scheme, a colon and the rest.
func isURI(s string) bool {
	scheme, rest, ok := strings.Cut(s, ":")
	return ok && isScheme(scheme) && isRelative(rest)
}

// isURIReference says whether s is a URI, or a relative reference (section 4.2), whose
// first segment has no colon.
func isURIReference(s string) bool {
	if i := strings.IndexAny(s, ":/?#"); i >= 0 && s[i] == ':' {
		return isURI(s)
	}
	return isRelative(s)
}

// isScheme holds for a letter, then letters, digits, plus, hyphen and dot.
func isScheme(s string) bool {
	for i := 0; i < len(s); i++ {
		if c := s[i]; !isAlnum(c) && c != '+' && c != '-' && c != '.' {
			return false
		}
	}
	return s != "" && (s[0] < '0' || s[0] > '9') && isAlnum(s[0])
}

// isRelative judges the text after a scheme: authority, path, query, fragment.
func isRelative(s string) bool {
	s, fragment, _ := strings.Cut(s, "#")
	s, query, _ := strings.Cut(s, "?")
	path := s
	if authority, is := strings.CutPrefix(s, "//"); is {
		path = ""
		if i := strings.IndexByte(authority, '/'); i >= 0 {
			authority, path = authority[:i], authority[i:]
		}
		if !isAuthority(authority) {
			return false
		}
	}
	return spelled(path, ":@/") && spelled(query, ":@/?") && spelled(fragment, ":@/?")
}

// isAuthority judges user information, host and port (section 3.2). A host is an
// address in brackets, or a registered name of any spelling.
func isAuthority(s string) bool {
	if user, host, is := strings.Cut(s, "@"); is {
		if !spelled(user, ":") {
			return false
		}
		s = host
	}
	if literal, is := strings.CutPrefix(s, "["); is {
		address, port, closed := strings.Cut(literal, "]")
		colon, number := strings.CutPrefix(port, ":")
		return closed && (isIPv6(address) || isFutureAddress(address)) && (port == "" || number && (colon == "" || allDigits(colon)))
	}
	host, port, _ := strings.Cut(s, ":")
	return spelled(host, "") && (port == "" || allDigits(port))
}

// isFutureAddress says whether s is an IPvFuture: v, hexadecimal digits, a dot and text.
func isFutureAddress(s string) bool {
	version, text, ok := strings.Cut(s, ".")
	if !ok || len(version) < 2 || version[0]|0x20 != 'v' || text == "" || strings.Contains(text, "%") {
		return false
	}
	for i := 1; i < len(version); i++ {
		if !isHexDigit(version[i]) {
			return false
		}
	}
	return spelled(text, ":")
}

// spelled holds for characters that are unreserved, percent-encoded, sub-delimiters or in also.
func spelled(s, also string) bool {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isAlnum(c) || strings.IndexByte("-._~!$&'()*+,;=", c) >= 0 || strings.IndexByte(also, c) >= 0:
		case c == '%' && i+2 < len(s) && isHexDigit(s[i+1]) && isHexDigit(s[i+2]):
			i += 2
		default:
			return false
		}
	}
	return true
}

// isHexDigit is HEXDIG of RFC 5234, in either case.
func isHexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f'
}
