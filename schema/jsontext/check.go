package jsontext

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Check reads a text once and decides whether the rest of the package may trust it (RFC 8259).
// Beyond the grammar it refuses texts that RFC 8259 allows and that readers understand in
// different ways:
//
//	{"a":1,"a":2}   a key twice: the first or the last one would count (section 4)
//	"\ud800"        half a surrogate pair: Go makes U+FFFD of each (section 8.2)
//	[[[[ … ]]]]     deeper than MaxDepth: recursive readers run out of stack (section 9)
//	bytes outside of UTF-8 (section 8.1)
//
// The state is a stack of frames, one for each open object or array, and one slice with the
// keys of the open objects in their order. Rows of a list mostly have the same keys in the same
// order, so an object's keys are first compared with the keys of the object before it in the
// array; while they agree, no key is recorded.

// MaxDepth is the largest depth of nested arrays and objects in a text. It bounds every
// recursion over a checked text: the judge, filters, the reader of cards.
const MaxDepth = 100

// Error is the fault of a text and its place. Of the text it repeats only the names of keys, so
// that it can be sent to the caller and logged.
type Error struct {
	// Line and Column count from 1; columns count characters, not bytes.
	Line, Column int
	// Pointer is RFC 6901: the value in which it was found. "" for the text itself.
	Pointer string
	// Message names the fault, and the remedy unless it is obvious.
	Message string
}

// Error returns the line, the column and the message: line 1, column 9: expected a colon after
// the key.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Check verifies that data is exactly one JSON value (RFC 8259) in UTF-8. It is stricter than
// the RFC in three points: an object may not repeat a name, a string may not contain half a
// surrogate pair, and the depth is at most [MaxDepth]. White space around the value is allowed,
// a byte order mark is not. The error is an *Error. Check reads the text once, keeps no
// reference to it, and may be called from many goroutines.
func Check(data []byte) error {
	c := checks.Get().(*check)
	defer c.free()
	c.data = data
	if at, message := c.run(); message != "" {
		return c.error(at, message)
	}
	return nil
}

// checks is a pool: checking an everyday text allocates only the names that have to be
// unescaped.
var checks = sync.Pool{New: func() any { return &check{frames: make([]frame, 0, 16), keys: make([][]byte, 0, 64)} }}

// free gives c back after clearing its references: a kept frame or key would hold the caller's
// text in memory.
func (c *check) free() {
	if cap(c.keys) > 1024 {
		return // rare; clearing so much room would cost every later check
	}
	clear(c.frames[:cap(c.frames)])
	clear(c.keys[:cap(c.keys)])
	c.data, c.frames, c.keys = nil, c.frames[:0], c.keys[:0]
	checks.Put(c)
}

// manyKeys is from how many keys on an object's are looked up in a map. Below it comparing
// them one by one is faster; above it that would be quadratic, which a hostile text could make
// last.
const manyKeys = 16

// check is the state of one [Check].
type check struct {
	data []byte
	// frames are the open objects and arrays, the innermost last.
	frames []frame
	// keys are the keys of all open objects, the innermost last; keys with escapes are
	// unquoted.
	keys [][]byte
}

// noValue is the message for text where a value has to begin, such as an unquoted word.
const noValue = "this is not a JSON value; write strings in double quotes"

// frame is an open object or array. In an array of objects the keys of the last one are kept
// until the array ends: the next one mostly has the same keys in the same order, and while it
// does, it cannot repeat a name.
//
//	[{"id":1,"name":"a"}, {"id":2,"na            reading the second object's second key
//	 keys: id name                                the keys of the first object
//	 frame of the array:   from 0, n 1            one element is complete
//	 frame of the object:  like 0, from 2, n 1    "id" agreed; "name" comes next at keys[like+n]
//
// At the first key that differs, the n equal keys are copied to from, and the object has keys
// of its own.
type frame struct {
	object bool
	// escaped says that a key of the object has escapes, so that its text is not the key.
	escaped bool
	// from is the index in keys of its first key: an object's own, or for an array, a key of
	// its last object.
	from int
	// n counts the elements so far of an array, and of an object the keys that are like the
	// last one's.
	n int
	// like is the offset of the keys of the object before; its own keys follow them. In the
	// first object of an array it equals from.
	like int
	// seen holds the keys of an object of manyKeys and more; nil below.
	seen map[string]struct{}
}

// run reads the text and returns the offset of a fault and its message, or "" for a sound text.
// It is one loop with labels instead of a recursion, so that the depth of a text costs a frame
// and not a stack:
//
//	value   a value has to begin at i
//	after   a value has ended before i: a comma, a closing bracket or the end follows
//	key     a key has to begin at i
func (c *check) run() (int, string) {
	data := c.data
	i := space(data, 0)
	if i == len(data) {
		return i, "there is no JSON value, only an empty text"
	}
value:
	if i >= len(data) {
		return i, "the text ends where a value is expected"
	}
	switch ch := data[i]; ch {
	case '{', '[':
		if len(c.frames) == MaxDepth {
			return i, "the text is nested deeper than " + strconv.Itoa(MaxDepth) + " levels; send less deep a value"
		}
		c.open(ch == '{')
		i = space(data, i+1)
		if i < len(data) && data[i] == ch+2 { // the codes of } and ] are two above { and [
			i++
			c.close()
			goto after
		}
		if ch == '{' {
			goto key
		}
		goto value
	case '"':
		end, message := checkString(data, i)
		if message != "" {
			return end, message
		}
		i = end
	case 't', 'f', 'n':
		word := "true"
		switch ch {
		case 'f':
			word = "false"
		case 'n':
			word = "null"
		}
		if !bytes.HasPrefix(data[i:], []byte(word)) {
			return i, noValue
		}
		i += len(word)
	default:
		if ch != '-' && (ch < '0' || ch > '9') {
			return i, noValue
		}
		end, ok := checkNumber(data, i)
		if !ok {
			return end, "this number is not one JSON can write"
		}
		i = end
	}
after:
	i = space(data, i)
	if len(c.frames) == 0 {
		if i < len(data) {
			return i, "there is more text after the value; send one value"
		}
		return i, ""
	}
	if i >= len(data) {
		return i, "the text ends inside an object or a list"
	}
	{
		f := &c.frames[len(c.frames)-1]
		switch {
		case data[i] == ',':
			i = space(data, i+1)
			if f.object {
				goto key
			}
			f.n++
			goto value
		case f.object && data[i] == '}', !f.object && data[i] == ']':
			c.close()
			i++
			goto after
		case f.object:
			return i, "expected a comma or }"
		}
		return i, "expected a comma or ]"
	}
key:
	var message string
	if i, message = c.key(i); message != "" {
		return i, message
	}
	goto value
}

// open begins an object or an array. An object in an array remembers where the keys of the
// object before it begin.
func (c *check) open(object bool) {
	f := frame{object: object, from: len(c.keys), like: len(c.keys)}
	if n := len(c.frames); object && n > 0 && !c.frames[n-1].object {
		f.like = c.frames[n-1].from
	}
	c.frames = append(c.frames, f)
}

// close ends the innermost object or array. The keys of an object in an array are kept, moved
// to where the array's keys begin, because the next object is compared with them; all others
// are dropped.
func (c *check) close() {
	last := len(c.frames) - 1
	f := &c.frames[last]
	switch {
	case f.n > 0 && f.object: // like the one before, whose keys stay
	case last == 0 || !f.object || c.frames[last-1].object || f.escaped:
		c.keys = c.keys[:f.like]
	default:
		c.keys = c.keys[:f.like+copy(c.keys[f.like:], c.keys[f.from:])]
	}
	c.frames = c.frames[:last]
}

// again returns the offset after the key that begins at i, if the object before has the same
// key at this place; else 0. Such a key is a sound string and new in its object, since the
// object before was checked.
func (c *check) again(i int) int {
	f := &c.frames[len(c.frames)-1]
	at := f.like + f.n
	// No key is left over there, or the object has differed before and keeps keys of its own.
	if at >= f.from || len(c.keys) > f.from {
		return 0
	}
	key := c.keys[at]
	end := i + 1 + len(key)
	if end >= len(c.data) || c.data[end] != '"' || string(c.data[i+1:end]) != string(key) {
		return 0
	}
	f.n++
	return end + 1
}

// key reads the key at i and the colon after it. It returns the offset of the value, or the
// offset and the message of the fault.
func (c *check) key(i int) (int, string) {
	data := c.data
	if i >= len(data) {
		return i, "the text ends inside an object"
	}
	if data[i] != '"' {
		return i, "expected a key in double quotes"
	}
	end := c.again(i)
	if end == 0 {
		var message string
		if end, message = checkString(data, i); message != "" {
			return end, message
		}
		if !c.enter(data[i:end]) {
			return i, "the key " + shown(data[i:end]) + " occurs twice in one object; leave one of them out"
		}
	}
	if i = space(data, end); i >= len(data) || data[i] != ':' {
		return i, "expected a colon after the key"
	}
	return space(data, i+1), ""
}

// shown returns a quoted key for a message: of a long one the first 60 bytes, cut between
// characters.
func shown(quoted []byte) string {
	const most = 60
	if len(quoted) <= most {
		return string(quoted)
	}
	return strings.ToValidUTF8(string(quoted[:most]), "") + "…"
}

// enter notes a key of the innermost object and says whether it is new there. "a" and its
// escape "\u0061" are one key.
func (c *check) enter(quoted []byte) bool {
	f := &c.frames[len(c.frames)-1]
	key := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key, f.escaped = []byte(Unquote(quoted)), true
	}
	if f.n > 0 { // the keys differ from here on: the equal ones become its own
		c.keys = append(c.keys, c.keys[f.like:f.like+f.n]...)
		f.n = 0
	}
	own := c.keys[f.from:]
	c.keys = append(c.keys, key)
	if len(own) < manyKeys {
		for _, k := range own {
			if len(k) == len(key) && string(k) == string(key) {
				return false
			}
		}
		return true
	}
	if f.seen == nil {
		f.seen = make(map[string]struct{}, 4*manyKeys)
		for _, k := range own {
			f.seen[string(k)] = struct{}{}
		}
	}
	if _, ok := f.seen[string(key)]; ok {
		return false
	}
	f.seen[string(key)] = struct{}{}
	return true
}

// error returns the fault that run found, with its place. Line, column and pointer are only
// computed here: a sound text never needs them.
func (c *check) error(at int, message string) error {
	before := c.data[:min(at, len(c.data))]
	from := bytes.LastIndexByte(before, '\n') + 1
	e := &Error{
		Line:    1 + bytes.Count(before, []byte{'\n'}),
		Column:  1 + utf8.RuneCount(before[from:]),
		Message: message,
	}
	// Each open frame adds a token: an array the index of the element, an object the last key,
	// which is in keys at its own place or, while it agrees, at the place of the object before.
	for i := range c.frames {
		f := &c.frames[i]
		last := len(c.keys)
		if i+1 < len(c.frames) {
			last = c.frames[i+1].from
		}
		switch {
		case !f.object:
			e.Pointer += "/" + strconv.Itoa(f.n)
		case f.n > 0:
			e.Pointer += "/" + Token(string(c.keys[f.like+f.n-1]))
		case last > f.from:
			e.Pointer += "/" + Token(string(c.keys[last-1]))
		}
	}
	return e
}
