package engine

import (
	"strconv"

	"github.com/jackc/pgx/v5/pgproto3"
)

// statements are the prepared statements of a connection, by text, maxStatements at most.
// Shapes come from callers' filters, so there is no end to them.
type statements struct {
	byText map[string]*statement
	// clock counts uses, to know which statement was used longest ago.
	clock uint64
	// made counts statements, for their names.
	made int
	// pending are those whose text is on its way, in that order; the server has taken the
	// first taken of them.
	pending []*statement
	taken   int
}

// statement is a text under the name that the server knows it by.
type statement struct {
	name, text string
	used       uint64
	// checked says that its columns have the types that it expects.
	checked bool
}

// maxStatements is how many statements a connection keeps prepared.
const maxStatements = 256

func newStatements() *statements { return &statements{byText: map[string]*statement{}} }

// find returns the statement of a text. fresh says that the server does not have it yet: its
// text has to go ahead of its use. Looking it up by bytes does not allocate.
func (s *statements) find(text []byte) (st *statement, fresh bool) {
	s.clock++
	st = s.byText[string(text)]
	if st == nil {
		s.made++
		st = &statement{name: "s" + strconv.Itoa(s.made), text: string(text)}
		s.byText[st.text] = st
		s.pending = append(s.pending, st)
		fresh = true
	}
	st.used = s.clock
	return st, fresh
}

// parsed notes that the server has taken the next one of the texts.
func (s *statements) parsed() {
	if s.taken < len(s.pending) {
		s.taken++
	}
}

// settle forgets the texts that the server passed over, because something before them failed.
func (s *statements) settle() {
	for _, st := range s.pending[s.taken:] {
		delete(s.byText, st.text)
	}
	s.pending, s.taken = s.pending[:0], 0
}

// evict closes the least recently used statements to make room for the coming ones. The
// messages go ahead of the batch, so that no failure passes over them.
func (s *statements) evict(out []byte, coming int) []byte {
	for len(s.byText) > 0 && len(s.byText)+coming > maxStatements {
		var oldest *statement
		for _, st := range s.byText {
			if oldest == nil || st.used < oldest.used {
				oldest = st
			}
		}
		delete(s.byText, oldest.text)
		out, _ = (&pgproto3.Close{ObjectType: 'S', Name: oldest.name}).Encode(out) // a short name cannot fail
	}
	return out
}

// forget drops all of them here: the server does not have them any more, or has others.
func (s *statements) forget() { clear(s.byText) }
