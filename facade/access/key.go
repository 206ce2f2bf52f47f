package access

import (
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

// maxPlain is how deep a state may be and still be compared.
const maxPlain = 32

// AppendKey appends the state as text that no other state has: each part has its Go type and its
// length in front. ok is false where the state has anything but plain values, since a pointer or a
// type of the author's may lead to anything. A nil list or map equals an empty one, but for a nil
// state, which has no text.
func (s State) AppendKey(dst []byte) (text []byte, ok bool) {
	if s == nil {
		return dst, true
	}
	return appendPlain(dst, map[string]any(s), 0)
}

// appendPlain is AppendKey of one value.
func appendPlain(dst []byte, v any, depth int) ([]byte, bool) {
	if depth > maxPlain {
		return dst, false
	}
	switch v := v.(type) {
	case nil:
		return append(dst, 'n'), true
	case bool:
		return strconv.AppendBool(dst, v), true
	case string:
		return appendSized(dst, 's', v), true
	case json.Number:
		return appendSized(dst, '#', string(v)), true
	case int:
		return append(strconv.AppendInt(append(dst, 'i'), int64(v), 10), ';'), true
	case int64:
		return append(strconv.AppendInt(append(dst, 'l'), v, 10), ';'), true
	case float64:
		return binary.BigEndian.AppendUint64(append(dst, 'd'), math.Float64bits(v)), true
	case []string:
		dst = appendCount(dst, 'S', len(v))
		for _, s := range v {
			dst = appendSized(dst, 's', s)
		}
		return dst, true
	case []any:
		dst = appendCount(dst, '[', len(v))
		var ok bool
		for _, item := range v {
			if dst, ok = appendPlain(dst, item, depth+1); !ok {
				return dst, false
			}
		}
		return dst, true
	case map[string]any:
		dst = appendCount(dst, '{', len(v))
		var ok bool
		for _, name := range slices.Sorted(maps.Keys(v)) {
			dst = appendSized(dst, 's', name)
			if dst, ok = appendPlain(dst, v[name], depth+1); !ok {
				return dst, false
			}
		}
		return dst, true
	}
	return dst, false
}

func appendCount(dst []byte, kind byte, n int) []byte {
	return append(strconv.AppendInt(append(dst, kind), int64(n), 10), ':')
}

func appendSized(dst []byte, kind byte, s string) []byte {
	return append(appendCount(dst, kind, len(s)), s...)
}
