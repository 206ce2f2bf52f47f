package facade

import (
	"encoding/json"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// freeValue returns a value of a field that its column holds and that probably no row has: null where the field
// takes it, else a random value within the bounds of its card. Each try has another one. It is nil for a field
// without such values: a relation that is never null, and JSON.
func freeValue(p *schema.Property, try int) json.RawMessage {
	if p.MayBeNull() {
		return json.RawMessage("null")
	}
	if p.Link != nil || p.Kind == schema.KindJSON {
		return nil
	}
	if values := p.Shape.Enum; len(values) > 0 {
		return values[try%len(values)]
	}
	switch p.Kind {
	case schema.KindInteger, schema.KindNumber, schema.KindDecimal:
		n := strconv.AppendInt(nil, freeNumber(p, try), 10)
		if p.Kind == schema.KindDecimal {
			return jsontext.AppendText(nil, n)
		}
		return n
	case schema.KindBoolean:
		return strconv.AppendBool(nil, try%2 == 0)
	case schema.KindDate, schema.KindDateTime:
		at := time.Date(1+rand.IntN(9998), 1, 1+rand.IntN(365), rand.IntN(24), rand.IntN(60), rand.IntN(60), 0, time.UTC)
		layout := time.DateOnly
		if p.Kind == schema.KindDateTime {
			layout = "2006-01-02T15:04:05.000Z"
		}
		return jsontext.AppendString(nil, at.Format(layout))
	case schema.KindString:
		return jsontext.AppendString(nil, freeText(p))
	}
	return nil
}

// freeNumber returns a whole number within the bounds of a field. Columns of another program's table may be small,
// so that every second try has a number of 15 bits.
func freeNumber(p *schema.Property, try int) int64 {
	lo, hi := int64(-1)<<31, int64(1)<<31-1
	if try%2 == 1 {
		lo, hi = -1<<15, 1<<15-1
	}
	for _, kw := range p.Shape.Extra {
		n, ok := schema.Integer(kw.Value)
		if !ok {
			continue
		}
		switch kw.Name {
		case "minimum":
			lo = n
		case "exclusiveMinimum":
			lo = n + 1
		case "maximum":
			hi = n
		case "exclusiveMaximum":
			hi = n - 1
		}
	}
	if hi < lo { // one bound is beyond the other's default
		if p.Shape.Extra.Get("maximum") == nil && p.Shape.Extra.Get("exclusiveMaximum") == nil {
			hi = lo + 1<<31
		} else {
			lo = hi - 1<<31
		}
	}
	if hi < lo || hi-lo < 0 {
		return lo
	}
	return lo + rand.Int64N(hi-lo+1)
}

// freeText returns a random text within the length of a field, or a UUID.
func freeText(p *schema.Property) string {
	if p.Shape.Format == "uuid" {
		if id, err := schema.UUIDv7(); err == nil {
			return id
		}
	}
	size := 26
	if most, ok := schema.Integer(p.Shape.Extra.Get("maxLength")); ok && most < int64(size) {
		size = int(most)
	}
	if least, ok := schema.Integer(p.Shape.Extra.Get("minLength")); ok && least > int64(size) {
		size = int(least)
	}
	var b strings.Builder
	for range size {
		b.WriteByte("0123456789abcdefghijklmnopqrstuvwxyz"[rand.IntN(36)])
	}
	return b.String()
}
