package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Marshal is json.Marshal with the HTML characters <, > and & as they are, as every surface
// writes them, and without the newline that an Encoder adds. The error comes from
// encoding/json; for a type or a value that JSON does not have, it begins with the path of the
// member, such as "lines[2].price: ".
func Marshal(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		if path := strings.TrimPrefix(unmarshalable(reflect.ValueOf(v), maxPath), "."); path != "" {
			return nil, &memberError{path, err}
		}
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// memberError is the error for a member that JSON cannot hold.
type memberError struct {
	path string
	err  error
}

// Field returns the path of the member, such as lines[2].price.
func (e *memberError) Field() string { return e.path }

func (e *memberError) Error() string { return e.path + ": " + e.err.Error() }

func (e *memberError) Unwrap() error { return e.err }

// maxPath bounds the steps of a path, since Go values may contain themselves.
const maxPath = 32

// unmarshalable returns the path of the first member of v that encoding/json refuses, such as
// ".lines[2].price", or "" for v itself.
func unmarshalable(v reflect.Value, steps int) string {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		v = v.Elem()
	}
	if !v.IsValid() || steps == 0 {
		return ""
	}
	into := func(step string, member reflect.Value) (string, bool) {
		var value *json.UnsupportedValueError
		var typ *json.UnsupportedTypeError
		if !member.CanInterface() {
			return "", false
		}
		if _, err := json.Marshal(member.Interface()); !errors.As(err, &value) && !errors.As(err, &typ) {
			return "", false
		}
		return step + unmarshalable(member, steps-1), true
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			field := v.Type().Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if name == "-" {
				continue
			}
			step := "." + field.Name
			if name != "" {
				step = "." + name
			}
			if field.Anonymous && name == "" {
				step = ""
			}
			if path, found := into(step, v.Field(i)); found {
				return path
			}
		}
	case reflect.Map:
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) })
		for _, key := range keys {
			if path, found := into("."+fmt.Sprint(key), v.MapIndex(key)); found {
				return path
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if path, found := into(fmt.Sprintf("[%d]", i), v.Index(i)); found {
				return path
			}
		}
	}
	return ""
}

// Buffer is JSON text being written: an answer on its way out. Buffers of usual size are used
// again, because an answer would else be allocated and dropped for every request. A Buffer
// belongs to one goroutine at a time.
type Buffer struct{ Text []byte }

// maxPooled is how large, in bytes, a buffer may have become to be kept. Larger ones are rare,
// and kept they would hold the memory of the largest answer ever given (docs/decisions/budgets.md).
const maxPooled = 1 << 20

// buffers is the pool. A buffer from it is empty and has the capacity it grew to.
var buffers = sync.Pool{New: func() any { return &Buffer{Text: make([]byte, 0, 4096)} }}

// TakeBuffer returns an empty buffer; its capacity is 4 KiB or more. The caller releases it,
// and appends to Text:
//
//	b := jsontext.TakeBuffer()
//	defer b.Release()
//	b.Text = card.AppendJSON(b.Text)
func TakeBuffer() *Buffer { return buffers.Get().(*Buffer) }

// Release gives the buffer back. Its text, and everything cut from it, is no longer the
// caller's to read: another goroutine may be writing there. Call it once.
func (b *Buffer) Release() {
	if cap(b.Text) > maxPooled {
		return
	}
	b.Text = b.Text[:0]
	buffers.Put(b)
}
