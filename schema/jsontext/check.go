package jsontext

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is the limit of arrays and objects within each other. It bounds the recursion of
// everything that reads checked text.
const MaxDepth = 100

// Error is the first fault of a text that [Check] refuses. It contains nothing of the text
// but names of members, so that it may be sent to callers and logged.
type Error struct {
	Line, Column int    // from 1; columns count code points
	Pointer      string // RFC 6901: the value with the fault; "" for the whole text
	Message      string // a sentence without its subject's place
}

// Error returns the line, the column and the message.
func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Check verifies that data is exactly one JSON value (RFC 8259) in UTF-8, stricter than the
// RFC where that leaves a choice: no object has a name twice, no string contains half a
// surrogate pair, and nothing is nested deeper than [MaxDepth]. White space around the
// value is allowed, a byte order mark is not. The error is an *Error. Check reads the text
// once, keeps no reference to it, and may be called from many goroutines.
func Check(data []byte) error {
	c := checks.Get().(*check)
	defer c.free()
	c.data = data
	if at, message := c.run(); message != "" {
		return c.error(at, message)
	}
	return nil
}

// checks pools the slices of checks.
var checks = sync.Pool{New: func() any { return &check{frames: make([]frame, 0, 16), keys: make([][]byte, 0, 64)} }}

// free returns c to the pool. It drops every reference to the text, which would otherwise
// live as long as the pool.
func (c *check) free() {
	if cap(c.keys) > 1024 {
		return // rare; clearing so much room would cost every later check
	}
	clear(c.frames[:cap(c.frames)])
	clear(c.keys[:cap(c.keys)])
	c.data, c.frames, c.keys = nil, c.frames[:0], c.keys[:0]
	checks.Put(c)
}

// manyKeys is the number of keys in an object from which on they are looked up in a map
// and no longer compared one by one.
const manyKeys = 16

// check is the state of one [Check].
type check struct {
	data   []byte
	frames []frame
	keys   [][]byte // of all open objects, the innermost last; spans of data, but unquoted copies where they have escapes
}

const noValue = "this is no value; strings stand in double quotes"

// frame is an open object or array. Where an array's elements are objects, the keys of
// the last one are kept until the array ends: the next object usually has the same keys in
// the same order, and as long as it does, no key can be there twice and none is entered.
type frame struct {
	object  bool
	escaped bool                // a key of the object has escapes: its text is not the key
	from    int                 // index in keys where its own keys begin; of an array, those of its last object
	n       int                 // of an array: elements so far; of an object: leading keys equal to those of the object before
	like    int                 // index in keys of the keys of the object before, or from where there is none
	seen    map[string]struct{} // its keys, from manyKeys on
}

// run reads the text and returns the offset and the message of its first fault; the message
// is "" where there is none. Labels take the place of recursion: the depth of a text is
// the length of frames, not of the stack.
func (c *check) run() (int, string) {
	data := c.data
	i := space(data, 0)
	if i == len(data) {
		return i, "there is no JSON value, only an empty text"
	}
value:
	if i >= len(data) {
		return i, "the text ends where a value has to stand"
	}
	switch ch := data[i]; ch {
	case '{', '[':
		if len(c.frames) == MaxDepth {
			return i, "the text is nested deeper than " + strconv.Itoa(MaxDepth) + " levels; send less deep a value"
		}
		c.open(ch == '{')
		i = space(data, i+1)
		if i < len(data) && data[i] == ch+2 { // } and ] stand two behind { and [
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
			return i, "there is more text behind the value; send one value"
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
			return i, "a comma or } has to stand here"
		}
		return i, "a comma or ] has to stand here"
	}
key:
	var message string
	if i, message = c.key(i); message != "" {
		return i, message
	}
	goto value
}

// open enters an object or an array.
func (c *check) open(object bool) {
	f := frame{object: object, from: len(c.keys), like: len(c.keys)}
	if n := len(c.frames); object && n > 0 && !c.frames[n-1].object {
		f.like = c.frames[n-1].from
	}
	c.frames = append(c.frames, f)
}

// close leaves the innermost object or array. The keys of an object in an array stay, for
// the array's next object to be compared with, unless a key has escapes: then its text is
// not its name.
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

// again returns the offset behind the key that begins at i, where it equals the key that
// the object before has at this place, and 0 where it does not.
func (c *check) again(i int) int {
	f := &c.frames[len(c.frames)-1]
	at := f.like + f.n
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

// key reads the key that has to begin at i and its colon. It returns the offset of the
// value, or those of a fault with its message.
func (c *check) key(i int) (int, string) {
	data := c.data
	if i >= len(data) {
		return i, "the text ends inside an object"
	}
	if data[i] != '"' {
		return i, "a key in double quotes has to stand here"
	}
	end := c.again(i)
	if end == 0 {
		var message string
		if end, message = checkString(data, i); message != "" {
			return end, message
		}
		if !c.enter(data[i:end]) {
			return i, "the key " + shown(data[i:end]) + " stands twice in one object; leave one of them out"
		}
	}
	if i = space(data, end); i >= len(data) || data[i] != ':' {
		return i, "a colon has to stand behind the key"
	}
	return space(data, i+1), ""
}

// shown returns a quoted key for a message, cut at 60 bytes.
func shown(quoted []byte) string {
	const most = 60
	if len(quoted) <= most {
		return string(quoted)
	}
	return strings.ToValidUTF8(string(quoted[:most]), "") + "…"
}

// enter records a key of the innermost object and reports whether it is new there.
func (c *check) enter(quoted []byte) bool {
	f := &c.frames[len(c.frames)-1]
	key := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(key, '\\') >= 0 {
		key, f.escaped = []byte(Unquote(quoted)), true
	}
	if f.n > 0 { // the keys differ from here on: those that were equal become its own
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

// special has the bytes of a string that need more than being skipped.
var special = func() (t [256]bool) {
	for i := range t {
		t[i] = i < ' ' || i >= utf8.RuneSelf || i == '"' || i == '\\'
	}
	return t
}()

// checkString returns the offset behind the string that begins at i, or that of a fault
// with its message. RFC 8259 section 8.2 leaves lone surrogates to the reader; they are
// refused, because Go decodes each of them to U+FFFD and two different keys would be one.
func checkString(data []byte, i int) (int, string) {
	start := i
	for i++; i < len(data); {
		ch := data[i]
		if !special[ch] {
			i++
			continue
		}
		switch {
		case ch == '"':
			return i + 1, ""
		case ch == '\\':
			end, message := checkEscape(data, i)
			if message != "" {
				return end, message
			}
			i = end
		case ch < ' ':
			return i, "a control character in a string has to be escaped"
		default:
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				return i, "the text is not UTF-8; send it as UTF-8"
			}
			i += n
		}
	}
	return start, "this string is not closed"
}

// checkEscape returns the offset behind the escape that begins at i, or that of a fault
// with its message. The two escapes of a surrogate pair count as one.
func checkEscape(data []byte, i int) (int, string) {
	if i+1 == len(data) {
		return i, "this string is not closed"
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, ""
	case 'u':
	default:
		return i, "JSON knows no such escape in a string"
	}
	r, ok := unhex(data, i)
	if !ok {
		return i, "four hexadecimal digits have to stand behind \\u"
	}
	if !utf16.IsSurrogate(r) {
		return i + 6, ""
	}
	if second, _ := unhex(data, i+6); utf16.DecodeRune(r, second) == utf8.RuneError {
		return i, halfPair
	}
	return i + 12, ""
}

const halfPair = "half a surrogate pair is no character; escape both halves, or write the character itself"

// unhex decodes the escape \uXXXX at i to its UTF-16 code unit; false where none is there.
func unhex(data []byte, i int) (r rune, ok bool) {
	if i+6 > len(data) || data[i] != '\\' || data[i+1] != 'u' {
		return 0, false
	}
	for _, c := range data[i+2 : i+6] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// checkNumber returns the offset behind the number that begins at i (RFC 8259 section 6),
// or false and the offset at which it stops being one.
func checkNumber(data []byte, i int) (int, bool) {
	if data[i] == '-' {
		i++
	}
	run := func() bool {
		from := i
		for i < len(data) && data[i] >= '0' && data[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(data) && data[i] == '0' {
		i++
	} else if !run() {
		return i, false
	}
	if i < len(data) && data[i] == '.' {
		i++
		if !run() {
			return i, false
		}
	}
	if i < len(data) && (data[i] == 'e' || data[i] == 'E') {
		i++
		if i < len(data) && (data[i] == '+' || data[i] == '-') {
			i++
		}
		if !run() {
			return i, false
		}
	}
	return i, true
}

// error returns a fault with its line, its column and the pointer that the open frames
// give. Only a text that is refused pays for them.
func (c *check) error(at int, message string) error {
	before := c.data[:min(at, len(c.data))]
	from := bytes.LastIndexByte(before, '\n') + 1
	e := &Error{
		Line:    1 + bytes.Count(before, []byte{'\n'}),
		Column:  1 + utf8.RuneCount(before[from:]),
		Message: message,
	}
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
