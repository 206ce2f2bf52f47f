package leak

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strconv"
	"strings"
)

// kind is what a field holds. Values are string, int64, float64, bool, nil, []any
// and map[string]any, as a plain reader of JSON would have them.
type kind int

const (
	text kind = iota
	integer
	number
	boolean
	moment
	day
	decimal
	enum
	object // {a: string, b: integer or nothing}
	list   // of strings
	one    // the id of another row
	many   // the other side of a one
	ids    // ids in the row itself
)

// maker makes values, no two of which share a token.
type maker struct {
	*rand.Rand
	used map[string]bool
}

func newMaker(r *rand.Rand) *maker { return &maker{r, map[string]bool{}} }

// fresh is what made gives, once its token is new.
func fresh[T any](m *maker, token func(T) string, made func() T) T {
	for {
		v := made()
		if t := token(v); !m.used[t] {
			m.used[t] = true
			return v
		}
	}
}

func (m *maker) chance(percent int) bool { return m.IntN(100) < percent }

func pick[T any](m *maker, from []T) T { return from[m.IntN(len(from))] }

func itself(s string) string { return s }

func (m *maker) text() string {
	return fresh(m, itself, func() string {
		return pick(m, []string{"ash", "elm", "oak", "Yew"}) + "-q" + fmt.Sprintf("%09x", m.Uint64()&0xfffffffff)
	})
}

func (m *maker) integer() int64 {
	return fresh(m, func(n int64) string { return fmt.Sprint(n) }, func() int64 {
		return int64(1+m.IntN(3))*10_000_000_000 + m.Int64N(10_000_000_000)
	})
}

// id sorts anywhere among the other ids: what is hidden stands between what is not.
func (m *maker) id() string {
	return fresh(m, itself, func() string { return fmt.Sprintf("k%010x", m.Uint64()&0xffffffffff) })
}

// value is a new value of a plain field.
func (m *maker) value(k kind) any {
	switch k {
	case text:
		return m.text()
	case integer:
		return m.integer()
	case number:
		return fresh(m, numberText, func() float64 {
			f, _ := strconv.ParseFloat(fmt.Sprintf("%d.%09d", m.IntN(4), 1+m.IntN(999_999_998)), 64)
			return f
		})
	case boolean:
		return m.chance(50)
	case moment: // never whole milliseconds, so that its text is the same everywhere
		return fresh(m, itself, func() string {
			return fmt.Sprintf("20%02d-%02d-%02dT%02d:%02d:%02d.%03d%03dZ", m.IntN(99), 1+m.IntN(12), 1+m.IntN(28), m.IntN(24), m.IntN(60), m.IntN(60), m.IntN(1000), 1+m.IntN(998))
		})
	case day:
		return fresh(m, itself, func() string {
			return fmt.Sprintf("%04d-%02d-%02d", 3000+m.IntN(6999), 1+m.IntN(12), 1+m.IntN(28))
		})
	case decimal:
		return fresh(m, itself, func() string { return fmt.Sprintf("%d.%09d", m.IntN(300), 1+m.IntN(999_999_998)) })
	case enum:
		return pick(m, colours)
	case object:
		o := map[string]any{"a": m.text()}
		if m.chance(60) {
			o["b"] = m.integer()
		}
		return o
	case list:
		items := []any{}
		for range m.IntN(3) {
			items = append(items, m.text())
		}
		return items
	}
	panic("no plain kind")
}

var colours = []string{"red", "green", "blue"}

func numberText(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// tokens are what a value would be found by in the bytes of an answer.
func tokens(v any) []string {
	switch v := v.(type) {
	case string:
		if len(v) >= 10 {
			if at := strings.Index(v, "-q"); at > 0 {
				v = v[at+1:] // a part of it would reveal as much
			}
			return []string{strings.TrimSuffix(v, "Z")}
		}
	case int64:
		return []string{fmt.Sprint(v)}
	case float64:
		return []string{numberText(v)}
	case []any:
		var all []string
		for _, item := range v {
			all = append(all, tokens(item)...)
		}
		return all
	case map[string]any:
		var all []string
		for _, item := range v {
			all = append(all, tokens(item)...)
		}
		return all
	}
	return nil
}

// compare orders two values of a kind; null is the smallest.
func compare(k kind, a, b any) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return -1
	case b == nil:
		return 1
	}
	switch x := a.(type) {
	case int64:
		return cmpOrdered(x, b.(int64))
	case float64:
		return cmpOrdered(x, b.(float64))
	case bool:
		return cmpOrdered(bit(x), bit(b.(bool)))
	case string:
		if k == decimal {
			p, _ := new(big.Rat).SetString(x)
			q, _ := new(big.Rat).SetString(b.(string))
			return p.Cmp(q)
		}
		return strings.Compare(x, b.(string))
	}
	panic(fmt.Sprintf("%T has no order", a))
}

func cmpOrdered[T int64 | float64 | int](a, b T) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// encode is a value as JSON; the members of objects stand in the order of their names.
func encode(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// decode is JSON as values of the same types the garden's rows have.
func decode(data []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return plain(v), nil
}

// plain turns numbers into int64 or float64, and drops members that are null: an
// absent member says as much.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = plain(v[i])
		}
	case map[string]any:
		for name, member := range v {
			if v[name] = plain(member); v[name] == nil {
				delete(v, name)
			}
		}
	}
	return v
}
