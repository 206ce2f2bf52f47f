package client

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// wrongType is BAD_GATEWAY if a row has a value of another type than its card, at any depth;
// else nil. Null and encoded fields are not checked.
func wrongType(card *schema.Entity, all *rows.Rows) *kiterror.Error {
	layout := all.Layout()
	for column, name := range layout.Fields {
		p := card.Property(name)
		if p == nil || p.Axes.Out.Name != "" {
			continue
		}
		for i := range all.Len() {
			if at, ok := typed(&p.Shape, all.Row(i).At(column), name); !ok {
				return kiterror.Errorf(kiterror.BadGateway, "the host's answer does not fit its card: %s is of another type", at)
			}
		}
	}
	return nil
}

// typed reports whether a value has the type of its shape, and the path to the first value that
// does not. A shape with several types, or without a type, takes every value.
func typed(s *schema.Shape, v json.RawMessage, path string) (string, bool) {
	kind := jsontext.KindOf(v)
	if kind == jsontext.Null || kind == jsontext.Invalid {
		return path, true
	}
	switch s.Type {
	case "string":
		return path, kind == jsontext.String
	case "boolean":
		return path, kind == jsontext.True || kind == jsontext.False
	case "number":
		return path, kind == jsontext.Number
	case "integer":
		return path, kind == jsontext.Number && isWhole(v)
	case "array":
		if kind != jsontext.Array || s.Items == nil {
			return path, kind == jsontext.Array
		}
		for _, item := range jsontext.Elements(v) {
			if at, ok := typed(s.Items, item, path); !ok {
				return at, false
			}
		}
	case "object":
		if kind != jsontext.Object || s.Properties == nil {
			return path, kind == jsontext.Object
		}
		for i := range s.Properties {
			member := &s.Properties[i]
			if at, ok := typed(&member.Shape, jsontext.Get(v, member.Name), path+"."+member.Name); !ok {
				return at, false
			}
		}
	}
	return path, true
}

// isWhole reports whether a number is an integer, of any size; 3.0 is one.
func isWhole(v json.RawMessage) bool {
	_, ok := schema.Integer(v)
	return ok || !bytes.ContainsAny(v, ".eE")
}

// another is BAD_GATEWAY where a host answers findById or update with the row of another id; nil:
// it did not, or the row has no id to compare. Letters of ids are compared without regard to
// case, since hosts may keep them in another one.
func (p *pending) another(id json.RawMessage, result *facade.Result) *kiterror.Error {
	e := p.entity()
	if id == nil || e == nil || e.Primary == nil || p.op == nil || !p.op.Builtin || p.op.Name != "findById" && p.op.Name != "update" ||
		e.Primary.Axes.In.Name != "" || e.Primary.Axes.Out.Name != "" || result.Rows == nil || result.Rows.Len() != 1 {
		return nil
	}
	came := result.Rows.Row(0).Get(e.Primary.Name)
	if came == nil || strings.EqualFold(plainText(came), plainText(id)) {
		return nil
	}
	if a, ok := schema.Integer(came); ok {
		if b, ok := schema.Integer(id); ok && a == b {
			return nil
		}
	}
	return kiterror.Errorf(kiterror.BadGateway, "the host answered another row than the one that was asked for")
}

// plainText is the text of a string, or the spelling of another value.
func plainText(v json.RawMessage) string {
	if jsontext.KindOf(v) == jsontext.String {
		return jsontext.Unquote(jsontext.Trim(v))
	}
	return string(jsontext.Trim(v))
}
