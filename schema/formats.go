package schema

import (
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats are the formats that are asserted (DESIGN 4), with the example a
// refusal gives. Every other format is an annotation.
var formats = map[string]struct {
	example string
	check   func(string) bool // nil: the engine's own
}{
	"date":          {"2026-05-01", isDate},
	"time":          {"10:30:00Z", nil},
	"date-time":     {"2026-05-01T10:30:00Z", func(s string) bool { _, ok := ParseDateTime(s); return ok }},
	"duration":      {"P3DT12H", nil},
	"uri":           {"https://example.org/a", nil},
	"uri-reference": {"/a/b", nil},
	"email":         {"ada@example.org", isEmail},
	"hostname":      {"example.org", isHostname},
	"ipv4":          {"192.0.2.1", isIPv4},
	"ipv6":          {"2001:db8::1", isIPv6},
	"uuid":          {"0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d42", isUUID},
	"regex":         {"^[a-z]+$", nil},
	"json-pointer":  {"/a/0", nil},
	"decimal":       {"12.50", IsDecimal}, // of the OpenAPI registry: a number of any size, as a string
}

// unasserted are the formats the engine would check and the house does not.
var unasserted = []string{"relative-json-pointer", "period", "iri", "iri-reference", "uri-template", "semver"}

// formatCheck is the check of an asserted format, or nil.
func formatCheck(name string) func(string) bool {
	f, ok := formats[name]
	if !ok {
		return nil
	}
	if f.check != nil {
		return f.check
	}
	return engineFormats()[name]
}

// engineFormats are the checks the engine brings for the formats that have none here.
var engineFormats = sync.OnceValue(func() map[string]func(string) bool {
	checks := map[string]func(string) bool{}
	c := newEngineCompiler(false)
	for name, f := range formats {
		if f.check != nil {
			continue
		}
		url := "format:///" + name
		if err := c.AddResource(url, map[string]any{"format": name}); err != nil {
			panic(err) // a mistake in the table above
		}
		s := c.MustCompile(url)
		checks[name] = func(text string) bool { return s.Validate(text) == nil }
	}
	return checks
})

// registerFormats makes the engine assert exactly what the house does.
func registerFormats(c *jsonschema.Compiler) {
	c.AssertFormat()
	for name, f := range formats {
		if f.check != nil {
			c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
				if s, ok := v.(string); ok && !f.check(s) {
					return jsonschema.LocalizableError("not a %s", name)
				}
				return nil
			}})
		}
	}
	for _, name := range unasserted {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
}

// ParseDateTime reads a date-time (RFC 3339) as UTC. It is what the judge holds a
// date-time to be: a T and a zone of either case, any number of digits behind the
// second of which nine count, a leap second where UTC has one (taken as the next
// second), and a year that in UTC too stays within 0000 to 9999.
func ParseDateTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' && s[10] != 't' || !isDate(s[:10]) {
		return time.Time{}, false
	}
	h, ok1 := digits(s[11:13])
	m, ok2 := digits(s[14:16])
	sec, ok3 := digits(s[17:19])
	if !ok1 || !ok2 || !ok3 || s[13] != ':' || s[16] != ':' || h > 23 || m > 59 || sec > 60 {
		return time.Time{}, false
	}
	rest, nanos := s[19:], 0
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 1 {
			return time.Time{}, false
		}
		for i := 1; i <= 9; i++ {
			nanos *= 10
			if i < n {
				nanos += int(rest[i] - '0')
			}
		}
		rest = rest[n:]
	}
	var offset time.Duration
	switch {
	case rest == "Z" || rest == "z":
	case len(rest) == 6 && (rest[0] == '+' || rest[0] == '-') && rest[3] == ':':
		oh, ok1 := digits(rest[1:3])
		om, ok2 := digits(rest[4:6])
		if !ok1 || !ok2 || oh > 23 || om > 59 {
			return time.Time{}, false
		}
		offset = time.Duration(oh)*time.Hour + time.Duration(om)*time.Minute
		if rest[0] == '-' {
			offset = -offset
		}
	default:
		return time.Time{}, false
	}
	year, _ := digits(s[:4])
	month, _ := digits(s[5:7])
	day, _ := digits(s[8:10])
	t := time.Date(year, time.Month(month), day, h, m, min(sec, 59), nanos, time.UTC).Add(-offset)
	if sec == 60 {
		if t.Hour() != 23 || t.Minute() != 59 {
			return time.Time{}, false
		}
		t = t.Add(time.Second)
	}
	if t.Year() < 0 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

// maxDecimal is how many characters a decimal may have: one of a million digits
// would be compared, and indexed, at every read.
const maxDecimal = 100

// IsDecimal says whether s is what the judge holds a decimal to be: a minus sign or
// none, digits, and perhaps a point with digits behind it; 100 characters at most.
func IsDecimal(s string) bool {
	if len(s) > maxDecimal {
		return false
	}
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return allDigits(whole) && (!point || allDigits(fraction))
}

func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isDate says whether s is a full-date of RFC 3339.
func isDate(s string) bool {
	if len(s) != 10 || s[4] != '-' || s[7] != '-' {
		return false
	}
	y, ok1 := digits(s[:4])
	m, ok2 := digits(s[5:7])
	d, ok3 := digits(s[8:])
	if !ok1 || !ok2 || !ok3 || m < 1 || m > 12 || d < 1 {
		return false
	}
	return d <= time.Date(y, time.Month(m)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// isEmail says whether s is a Mailbox of RFC 5321: a dotted or quoted local part of
// at most 64 characters, and a host name or an address in brackets.
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
		if v6, is := strings.CutPrefix(inner, "IPv6:"); is {
			return ok && isIPv6(v6)
		}
		return ok && isIPv4(inner)
	}
	return isHostname(host)
}

// isHostname says whether s is a host name of RFC 1123.
func isHostname(s string) bool {
	s = strings.TrimSuffix(s, ".")
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
	}
	return true
}

// isIPv4 says whether s is four numbers of at most 255, without leading zeros.
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
		return n+m < 8
	}
	return n == 8
}

// groups counts the 16-bit groups of a part of an IPv6 address; the last of them
// may be an IPv4 address where v4 is set.
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
			if c := g[k]; !isAlnum(c) || c > 'f' || c > 'F' && c < 'a' {
				return 0, false
			}
		}
	}
	return n, true
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// digits is the value of a short run of digits.
func digits(s string) (int, bool) {
	n := 0
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// article is a word with its indefinite article.
func article(word string) string {
	r, _ := utf8.DecodeRuneInString(word)
	if strings.ContainsRune("aeio", r) {
		return "an " + word
	}
	return "a " + word
}
