package sqltext

// Value is one value that is bound to a statement of any database. The zero Value is null. Values
// of one kind are comparable with ==; a Blob is kept in S for that. A Value is small and kept in
// slices, so that binding allocates nothing.
type Value struct {
	Kind ValueKind
	S    string
	I    int64
	F    float64
}

// ValueKind says which of a Value's fields holds it: I of Int, F of Float, S of Text and Blob.
type ValueKind uint8

// The kinds of values. A boolean is an Int, 1 or 0; a date-time and a decimal are Texts.
const (
	Null ValueKind = iota
	Int
	Float
	Text
	Blob
)

// TextValue is a text.
func TextValue(s string) Value { return Value{Kind: Text, S: s} }

// IntValue is an integer.
func IntValue(i int64) Value { return Value{Kind: Int, I: i} }

// FloatValue is a floating-point number.
func FloatValue(f float64) Value { return Value{Kind: Float, F: f} }

// BlobValue is a sequence of bytes.
func BlobValue(s string) Value { return Value{Kind: Blob, S: s} }

// BoolValue is 1 for true and 0 for false.
func BoolValue(b bool) Value {
	if b {
		return IntValue(1)
	}
	return IntValue(0)
}

// Any returns the value as a Go value, for traces: nil, int64, float64, string or []byte.
func (v Value) Any() any {
	switch v.Kind {
	case Int:
		return v.I
	case Float:
		return v.F
	case Text:
		return v.S
	case Blob:
		return []byte(v.S)
	}
	return nil
}
