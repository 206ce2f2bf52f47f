package schema

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
	"github.com/nrednav/cuid2"

	"github.com/frondhost/frond/schema/jsontext"
)

// Builtins is a new registry with the names every host knows.
//
//	generators   cuid2  uuid (random)  uuidv7 (in order of time)  nanoid (21 characters)
//	conversions  trim  lowercase  uppercase
//
// A conversion works on strings in both directions and leaves other values as they are. Add
// your own before the registry is used.
//
// uuid and uuidv7 follow RFC 9562. Each call returns new maps, so that two hosts in one process
// do not share their registrations (docs/decisions/dependencies.md names the libraries).
func Builtins() *Registry {
	return &Registry{
		Generators: map[string]Generator{
			"cuid2":  func() (json.RawMessage, error) { return jsontext.Quote(cuid2.Generate()), nil },
			"uuid":   func() (json.RawMessage, error) { return quoteUUID(uuid.NewRandom()) },
			"uuidv7": func() (json.RawMessage, error) { return quoteUUID(uuid.NewV7()) },
			"nanoid": nanoid,
		},
		Conversions: map[string]Conversion{
			"trim":      onStrings(strings.TrimSpace),
			"lowercase": onStrings(strings.ToLower),
			"uppercase": onStrings(strings.ToUpper),
		},
	}
}

// UUIDv7 returns a new UUID of version 7 (RFC 9562): in one process later ones sort later. The
// error says that the system has no randomness.
func UUIDv7() (string, error) {
	id, err := uuid.NewV7()
	return id.String(), err
}

// quoteUUID returns a UUID as a JSON string. It takes the results of a generator of package
// uuid, which fails only where the system has no randomness.
func quoteUUID(id uuid.UUID, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	return jsontext.Quote(id.String()), nil
}

// nanoid is 21 random characters of an alphabet of 64, the form of the library of that name
// (126 bits).
func nanoid() (json.RawMessage, error) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
	var b [21]byte
	if _, err := rand.Read(b[:]); err != nil {
		return nil, err
	}
	for i := range b {
		// The alphabet has 64 characters, so six bits of a random byte choose one without
		// bias.
		b[i] = alphabet[b[i]&63]
	}
	return jsontext.Quote(string(b[:])), nil
}

// onStrings is a conversion that applies f to strings, in both directions, and leaves other
// values as they are.
func onStrings(f func(string) string) Conversion {
	convert := func(v json.RawMessage) (json.RawMessage, error) {
		// null and values of other types pass: the judge decides whether the field allows
		// them.
		v = bytes.TrimSpace(v)
		if jsontext.KindOf(v) != jsontext.String {
			return v, nil
		}
		return jsontext.Quote(f(jsontext.Unquote(v))), nil
	}
	return Conversion{Decode: convert, Encode: convert}
}

// Generator makes a value, as JSON, for a field whose lifecycle.create names it. It is called
// once for each row without the field, from many goroutines. An error fails the call that
// creates the row.
type Generator func() (json.RawMessage, error)

// Conversion is a pair of functions on the JSON text of a value; either may be nil where cards
// name it in one direction only (spec 2.2: boundary). They are called from many goroutines and
// return a text of their own or the one they were given.
type Conversion struct {
	Decode func(json.RawMessage) (json.RawMessage, error) // inward, after the value was judged
	Encode func(json.RawMessage) (json.RawMessage, error) // outward
}

// Registry holds the names that cards use for generators and conversions (spec 2.2 rule 3); see
// [Builtins]. It is filled before it is used and then only read. A card cannot hold a function,
// so a consumer that rebuilds a card has a registry of its own (spec 2.2 rule 4).
type Registry struct {
	Generators  map[string]Generator
	Conversions map[string]Conversion
}
