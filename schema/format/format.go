// Package format checks the formats of JSON Schema: date-time, email, uri and the like.
//
// JSON Schema leaves it to the implementation whether format is an assertion or an annotation
// (validation, section 7; docs/decisions/judge.md). Here it is
//
//	asserted     the names of the table formats, by our own checks if there is one
//	annotation   every other name: kept and published, without a check
//
// The engine of JSON Schema gets the same checks ([Assert]), so that a format inside anyOf means
// the same as at a field. Each check follows the RFC of its format:
//
//	format.go   the table of formats; decimals and UUIDs
//	time.go     dates, times and durations
//	net.go      email addresses, host names and IP addresses
//	idna.go     host names in the form xn--
//	uri.go      URIs and references
package format

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// formats are the asserted formats (docs/cards.md), with the example a refusal gives. Every
// other format is an annotation.
var formats = map[string]struct {
	example string
	check   func(string) bool // nil: the engine's own
}{
	"date":          {"2026-05-01", isDate},
	"time":          {"10:30:00Z", isTime},
	"date-time":     {"2026-05-01T10:30:00Z", func(s string) bool { _, ok := ParseDateTime(s); return ok }},
	"duration":      {"P3DT12H", isDuration},
	"uri":           {"https://example.org/a", isURI},
	"uri-reference": {"/a/b", isURIReference},
	"email":         {"ada@example.org", isEmail},
	"hostname":      {"example.org", isHostname},
	"ipv4":          {"192.0.2.1", isIPv4},
	"ipv6":          {"2001:db8::1", isIPv6},
	"uuid":          {"0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d42", isUUID},
	"regex":         {"^[a-z]+$", nil},
	"json-pointer":  {"/a/0", nil},
	"decimal":       {"12.50", IsDecimal}, // of the OpenAPI registry: a number of any size, as a string
}

// unasserted are the formats the engine would check and this package does not.
var unasserted = []string{"relative-json-pointer", "period", "iri", "iri-reference", "uri-template", "semver"}

// Check returns the check of an asserted format, or nil for an annotation and for "".
func Check(name string) func(string) bool {
	f, ok := formats[name]
	if !ok {
		return nil
	}
	if f.check != nil {
		return f.check
	}
	return engineFormats()[name]
}

// Example returns the example of an asserted format, for a message; "" for an annotation.
func Example(name string) string { return formats[name].example }

// Names returns the names of the asserted formats, sorted.
func Names() []string { return slices.Sorted(maps.Keys(formats)) }

// engineFormats returns the checks that the engine brings for the formats without a check here:
// it compiles the schema {"format": name} for each of them, once in the life of the process.
var engineFormats = sync.OnceValue(func() map[string]func(string) bool {
	checks := map[string]func(string) bool{}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	Assert(c)
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

// Assert makes the engine assert exactly the formats that this package does. A format
// judges strings alone; a value of another type passes it.
func Assert(c *jsonschema.Compiler) {
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

// maxDecimal is how many characters a decimal may have. Stores compare and index decimals at
// every read, so one of a million digits would slow down everybody's lists.
const maxDecimal = 100

// IsDecimal says whether the judge accepts s as a decimal: an optional minus sign, digits, and
// optionally a point and further digits; 100 characters at most.
//
//	12.50  -3  0.0    yes
//	+3  .5  1.  1e3   no
func IsDecimal(s string) bool {
	if len(s) > maxDecimal {
		return false
	}
	whole, fraction, point := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	return allDigits(whole) && (!point || allDigits(fraction))
}

// allDigits says whether s consists of one or more ASCII digits.
func allDigits(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isUUID is RFC 4122 section 3: 8-4-4-4-12 hex digits in any case.
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

// digits returns the value of a short run of ASCII digits; false for any other character. ""
// is 0 and true, and the callers see to the length.
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
