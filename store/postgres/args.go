package postgres

import (
	"strconv"
	"sync"

	"github.com/frondhost/frond/store/sqltext"
)

// arguments are the bound values of one statement in PostgreSQL's text form, which the server
// reads by the type that each placeholder has. They keep their room in a pool: take them with
// [newArguments], give them back with free when the statement has run.
type arguments struct {
	values [][]byte
	room   []byte
}

var argumentPool = sync.Pool{New: func() any { return new(arguments) }}

// newArguments returns the text forms of values; nil is null.
func newArguments(values []sqltext.Value) *arguments {
	a := argumentPool.Get().(*arguments)
	size := 0
	for i := range values {
		size += len(values[i].S) + 24 // a number's digits
	}
	if cap(a.room) < size {
		a.room = make([]byte, 0, size) // enough: no value moves while others point at it
	}
	a.room, a.values = a.room[:0], a.values[:0]
	for _, v := range values {
		if v.Kind == sqltext.Null {
			a.values = append(a.values, nil)
			continue
		}
		from := len(a.room)
		a.room = appendValue(a.room, v)
		a.values = append(a.values, a.room[from:len(a.room):len(a.room)])
	}
	return a
}

// maxKeptRoom is how many bytes of values are kept for the next statement.
const maxKeptRoom = 64 << 10

// free gives the arguments back. Nothing may point at them any more.
func (a *arguments) free() {
	if cap(a.room) <= maxKeptRoom {
		argumentPool.Put(a)
	}
}

// appendValue appends the text form of a value that is not null. An integer's form is a
// boolean's too: PostgreSQL reads 1 and 0 as true and false.
func appendValue(dst []byte, v sqltext.Value) []byte {
	switch v.Kind {
	case sqltext.Int:
		return strconv.AppendInt(dst, v.I, 10)
	case sqltext.Float:
		return strconv.AppendFloat(dst, v.F, 'g', -1, 64)
	}
	return append(dst, v.S...)
}
