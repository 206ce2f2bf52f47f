package postgres

import (
	"github.com/frondhost/frond/store/sqltext"
)

// A page after a cursor is read as ranges of an index, however many rows are equal in the first
// keys. One condition with OR would be a filter over all rows from the first key on. A range is
//
//	an equal prefix, and rows beyond the next keys    a = $1 AND (b, id) > ($2, $3)
//	an equal prefix, and the nulls of the next key    a = $1 AND b IS NULL
//	an equal prefix, and values other than null       a = $1 AND b IS NOT NULL
//
// The keys of one comparison of rows have one direction. It leaves out nulls, which is right
// upwards, where the reader has passed them; downwards they follow, in a range of their own.

// seekRange is one range of an order: the first equal keys are those of the cursor, and the
// keys up to without to are beyond it; or, with to == equal, the next key is null, or is not.
type seekRange struct {
	equal, to int
	notNull   bool
}

// ranges cuts the rows after a place in an order into ranges, the innermost first. Each row is in
// one of them.
//
//	a DESC, id DESC behind (5, x), a may be null    (a, id) < (5, x)   a IS NULL
//	a, id DESC behind (null, x)                     a IS NULL AND id < x   a IS NOT NULL
func ranges(keys []sqltext.SortKey, from []sqltext.Value) []seekRange {
	var out []seekRange
	for i := len(keys) - 1; i >= 0; {
		if from[i].Kind == sqltext.Null {
			if !keys[i].Desc {
				out = append(out, seekRange{i, i, true})
			}
			i--
			continue
		}
		first := i
		for first > 0 && keys[first-1].Desc == keys[i].Desc && from[first-1].Kind != sqltext.Null {
			first--
		}
		out = append(out, seekRange{first, i + 1, false})
		for j := i; j >= first && keys[i].Desc; j-- {
			if !keys[j].Column.NotNull {
				out = append(out, seekRange{j, j, false})
			}
		}
		i = first - 1
	}
	return out
}

// write writes the range as a condition. Including the cursor's own row counts for the range
// that has its last key.
func (g seekRange) write(b *sqltext.Builder, keys []sqltext.SortKey, from []sqltext.Value, including bool, alias string) {
	for i := range g.equal {
		b.Column(alias, keys[i].Column)
		if from[i].Kind == sqltext.Null {
			b.Text(" IS NULL AND ")
			continue
		}
		b.Text(" = ")
		b.Bind(from[i])
		b.Text(" AND ")
	}
	if g.to == g.equal {
		b.Column(alias, keys[g.equal].Column)
		if g.notNull {
			b.Text(" IS NOT NULL")
		} else {
			b.Text(" IS NULL")
		}
		return
	}
	if g.to-g.equal == 1 {
		b.Column(alias, keys[g.equal].Column)
	} else {
		b.Text("(")
		for i := g.equal; i < g.to; i++ {
			if i > g.equal {
				b.Text(", ")
			}
			b.Column(alias, keys[i].Column)
		}
		b.Text(")")
	}
	word := " > "
	if keys[g.equal].Desc {
		word = " < "
	}
	if including && g.to == len(keys) {
		word = word[:2] + "= "
	}
	b.Text(word)
	if g.to-g.equal == 1 {
		b.Bind(from[g.equal])
		return
	}
	b.Text("(")
	for i := g.equal; i < g.to; i++ {
		if i > g.equal {
			b.Text(", ")
		}
		b.Bind(from[i])
	}
	b.Text(")")
}
