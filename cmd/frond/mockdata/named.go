package mockdata

import (
	"fmt"
	"strings"
)

// texts says what a text looks like by the words of its name. The first row counts
// that has one of its words; ends asks for the last word of the name alone.
var texts = []struct {
	words string
	ends  bool
	make  func(*maker, name) string
}{
	{"email mail", false, func(m *maker, _ name) string { return m.email() }},
	{"phone telephone mobile fax", false, func(m *maker, _ name) string { return fmt.Sprintf("+1 202 555 %04d", 100+m.IntN(100)) }},
	{"url uri link href website homepage avatar", false, func(m *maker, n name) string { return m.url(n) }},
	{"slug handle permalink", false, func(m *maker, _ name) string { return slug(m.about.name()) + m.mark("-") }},
	{"username login nickname nick", false, func(m *maker, _ name) string { return slug(m.about.first) + m.mark("") }},
	{"password secret token hash", false, func(m *maker, _ name) string { return m.code() + m.code() + m.code() }},
	{"first given forename", false, func(m *maker, _ name) string { return m.about.first + m.mark(" ") }},
	{"last family surname", false, func(m *maker, _ name) string { return m.about.last + m.mark(" ") }},
	{"street address line", true, func(m *maker, _ name) string { return fmt.Sprintf("%d %s", 1+m.IntN(140), m.about.street) }},
	{"street", false, func(m *maker, _ name) string { return fmt.Sprintf("%d %s", 1+m.IntN(140), m.about.street) }},
	{"city town", false, func(m *maker, _ name) string { return m.about.place.city + m.mark(" ") }},
	{"postcode postal zip", false, func(m *maker, _ name) string { return m.about.place.postcode }},
	{"region state province county", false, func(m *maker, _ name) string { return m.about.place.region }},
	{"currency", false, func(m *maker, _ name) string { return m.about.place.currency }},
	{"timezone zone", false, func(m *maker, _ name) string { return m.about.place.zone }},
	{"locale language lang", false, func(m *maker, _ name) string { return m.about.place.locale }},
	{"price amount total cost fee balance", false, func(m *maker, n name) string { v, _ := m.formatted("decimal", n); return v }},
	{"company organisation organization employer brand supplier vendor manufacturer", false, func(m *maker, _ name) string { return m.about.company + m.mark(" ") }},
	{"author owner customer recipient contact person signer editor", false, func(m *maker, _ name) string { return m.about.first + " " + m.about.last + m.mark(" ") }},
	{"colour color", false, func(m *maker, _ name) string { return pick(m.Rand, colours) + m.mark("-") }},
	{"tag label keyword category topic genre", false, func(m *maker, _ name) string { return pick(m.Rand, labels) + m.mark("-") }},
	{"title subject headline caption heading", false, func(m *maker, _ name) string {
		if m.about.kind == aThing || m.about.kind == aText {
			if m.about.kind == aThing {
				return m.about.thing() + m.mark(" ")
			}
			return m.about.topic + m.mark(" ")
		}
		return m.about.name() + m.mark(" ")
	}},
	{"name label", true, func(m *maker, _ name) string { return m.about.name() + m.mark(" ") }},
	{"description body text content summary excerpt bio about comment message note notes remark review question answer", false, func(m *maker, _ name) string { return m.prose() }},
	{"sku number reference ref code barcode serial tracking isbn iban vat", false, func(m *maker, _ name) string {
		return fmt.Sprintf("%s-%05d", strings.ToUpper(pick(m.Rand, labels)[:2]), m.reference())
	}},
	{"id key", true, func(m *maker, _ name) string { return m.code() }},
	{"ip", false, func(m *maker, n name) string { v, _ := m.formatted("ipv4", n); return v }},
	{"host hostname domain", false, func(m *maker, n name) string { v, _ := m.formatted("hostname", n); return v }},
	{"file filename path", false, func(m *maker, _ name) string { return slug(m.about.name()) + m.mark("-") + ".pdf" }},
	{"version", false, func(m *maker, _ name) string { return fmt.Sprintf("%d.%d.%d", 1+m.IntN(3), m.IntN(10), m.IntN(10)) }},
	{"unit", false, func(m *maker, _ name) string { return pick(m.Rand, []string{"piece", "kg", "m", "litre"}) }},
	{"status", false, func(m *maker, _ name) string { return pick(m.Rand, []string{"new", "active", "done"}) }},
}

// unmistakable are the words that a title or a description need only mention.
const unmistakable = "email phone url slug postcode iban currency"

// named is a text as the field's name has it, or else its title and description.
func (m *maker) named(n name) string {
	if n.has("country") {
		if n.has("code") {
			return m.about.place.code
		}
		return m.about.place.country + m.mark(" ")
	}
	for _, row := range texts {
		if row.ends && n.ends(row.words) || !row.ends && n.has(row.words) {
			return row.make(m, n)
		}
	}
	for _, row := range texts {
		for word := range strings.FieldsSeq(row.words) {
			if strings.Contains(" "+unmistakable+" ", " "+word+" ") && n.says(word) {
				return row.make(m, n)
			}
		}
	}
	return m.about.thing() + m.mark(" ")
}

// reference is a number such as stands on papers: of a unique field one of its own.
func (m *maker) reference() int {
	if m.unique {
		return 10000 + (m.nth*37+m.try)%90000
	}
	return 10000 + m.IntN(90000)
}

func (m *maker) prose() string {
	at, n := m.IntN(len(sentences)), 1+m.IntN(3)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(sentences[(at+i*step(len(sentences)))%len(sentences)])
	}
	return b.String() + m.mark(" ")
}
