package schema

import (
	"strings"
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
	"email":         {"ada@example.org", nil},
	"hostname":      {"example.org", nil},
	"ipv4":          {"192.0.2.1", nil},
	"ipv6":          {"2001:db8::1", nil},
	"uuid":          {"0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d42", isUUID},
	"regex":         {"^[a-z]+$", nil},
	"json-pointer":  {"/a/0", nil},
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
	c := newEngineCompiler(false)
	if c.AddResource("format:/", map[string]any{"format": name}) != nil {
		return nil
	}
	s, err := c.Compile("format:/")
	if err != nil {
		return nil
	}
	return func(text string) bool { return s.Validate(text) == nil }
}

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
