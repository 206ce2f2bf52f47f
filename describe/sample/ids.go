package sample

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// ID returns the primary key of the i-th row of an entity, derived from the entity's key, the
// number and the shape alone. So a program that knows the name and the shape of a relation's
// target knows its ids, even with another seed (docs/decisions/contracts.md). i counts from 0.
// text is the shape of the key as a JSON Schema, root the card that its references point into.
//
//	an enum       its values in turn
//	an integer    the number, from 1 or the shape's minimum
//	a uuid        one made of name and number
//	other text    product-1; 1 if that does not fit; else a text drawn for the place
//
// It is false if the shape has no more values, or ID could not make one.
func ID(key string, text json.RawMessage, root json.RawMessage, i int) (json.RawMessage, bool) {
	m := &Maker{Rand: Chance(0).At("id", key, i), Root: root, About: NewSubject(key, Chance(0).At(key)), Row: i, Unique: true}
	s, ok := m.Fold(text)
	if !ok {
		return nil, false
	}
	values := Elements(s["enum"])
	if v := s["const"]; v != nil {
		values = []json.RawMessage{v}
	}
	if values != nil {
		if i >= len(values) {
			return nil, false
		}
		return values[i], true
	}
	kinds, _ := s.kinds()
	if len(kinds) == 0 {
		return nil, false
	}
	switch kinds[0] {
	case "integer", "number":
		return countedFrom(s, i)
	case "boolean":
		return json.RawMessage([]string{"false", "true"}[i%2]), i < 2
	case "string":
	default:
		return nil, false
	}
	if s.text("format") == "uuid" {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s-%d", key, i+1))
		return jsontext.Quote(uuid(binary.BigEndian.Uint64(sum[:8]), binary.BigEndian.Uint64(sum[8:16]))), true
	}
	least, most := s.Count("minLength", 0), s.Count("maxLength", 1<<20)
	number := strconv.Itoa(i + 1)
	// A text that is too short is filled up with zeros in front of the number: product-01.
	for _, text := range []string{key + "-" + number, number} {
		if room := least - len(text); room > 0 {
			text = strings.TrimSuffix(text, number) + strings.Repeat("0", room) + number
		}
		if s.text("format") == "" && len(text) <= most && fitsPattern(s.text("pattern"), text) {
			return jsontext.Quote(text), true
		}
	}
	// Examples and defaults repeat, and a key must not.
	delete(s, "examples")
	delete(s, "default")
	return m.string(s, NewName("id"))
}

// countedFrom returns the i-th number of those a shape allows, from 1 if that is allowed, in
// steps of multipleOf; false beyond its maximum.
//
//	{"minimum":100,"multipleOf":5}   100, 105, 110, …
func countedFrom(s Shape, i int) (json.RawMessage, bool) {
	step := big.NewRat(1, 1)
	if of := Rational(s["multipleOf"]); of != nil && of.Sign() > 0 {
		step = new(big.Rat).SetInt(of.Num())
	}
	from := big.NewRat(1, 1)
	if lo := Rational(s["minimum"]); lo != nil && lo.Cmp(from) > 0 {
		from = lo
	}
	if over := Rational(s["exclusiveMinimum"]); over != nil && over.Cmp(from) >= 0 {
		from = new(big.Rat).Add(over, big.NewRat(1, 1))
	}
	v := times(new(big.Int).Add(ceil(from, step), big.NewInt(int64(i))), step)
	if hi := Rational(s["maximum"]); hi != nil && v.Cmp(hi) > 0 {
		return nil, false
	}
	if under := Rational(s["exclusiveMaximum"]); under != nil && v.Cmp(under) >= 0 {
		return nil, false
	}
	return json.RawMessage(decimal(v)), true
}

// ShapeOf returns a field's JSON Schema as text.
func ShapeOf(p *schema.Property) json.RawMessage { return p.Shape.AppendJSON(nil) }
