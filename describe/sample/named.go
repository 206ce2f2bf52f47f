package sample

import (
	"fmt"
	"strings"
)

// texts are the kinds of texts by the words of a name. The first row with one of its words
// counts; ends compares the last word of the name alone.
var texts = []struct {
	words string
	ends  bool
	make  func(*Maker, Name) string
}{
	{"email mail", false, func(m *Maker, _ Name) string { return m.email() }},
	{"phone telephone mobile fax", false, func(m *Maker, _ Name) string { return fmt.Sprintf("+1 202 555 %04d", 100+m.IntN(100)) }},
	{"url uri link href website homepage avatar", false, func(m *Maker, n Name) string { return m.url(n) }},
	{"slug handle permalink", false, func(m *Maker, _ Name) string { return slug(m.About.name()) + m.mark("-") }},
	{"username login nickname nick", false, func(m *Maker, _ Name) string { return slug(m.About.first) + m.mark("") }},
	{"password secret token hash", false, func(m *Maker, _ Name) string { return m.code() + m.code() + m.code() }},
	{"first given forename", false, func(m *Maker, _ Name) string { return m.About.first + m.mark(" ") }},
	{"last family surname", false, func(m *Maker, _ Name) string { return m.About.last + m.mark(" ") }},
	{"street address line", true, func(m *Maker, _ Name) string { return fmt.Sprintf("%d %s", 1+m.IntN(140), m.About.street) }},
	{"street", false, func(m *Maker, _ Name) string { return fmt.Sprintf("%d %s", 1+m.IntN(140), m.About.street) }},
	{"city town", false, func(m *Maker, _ Name) string { return m.About.place.city + m.mark(" ") }},
	{"postcode postal zip", false, func(m *Maker, _ Name) string { return m.About.place.postcode }},
	{"region state province county", false, func(m *Maker, _ Name) string { return m.About.place.region }},
	{"currency", false, func(m *Maker, _ Name) string { return m.About.place.currency }},
	{"timezone zone", false, func(m *Maker, _ Name) string { return m.About.place.zone }},
	{"locale language lang", false, func(m *Maker, _ Name) string { return m.About.place.locale }},
	{"price amount total cost fee balance", false, func(m *Maker, n Name) string { v, _ := m.formatted("decimal", n); return v }},
	{"company organisation organization employer brand supplier vendor manufacturer", false, func(m *Maker, _ Name) string { return m.About.company + m.mark(" ") }},
	{"author owner customer recipient contact person signer editor", false, func(m *Maker, _ Name) string { return m.About.first + " " + m.About.last + m.mark(" ") }},
	{"colour color", false, func(m *Maker, _ Name) string { return Pick(m.Rand, colours) + m.mark("-") }},
	{"tag label keyword category topic genre", false, func(m *Maker, _ Name) string { return Pick(m.Rand, labels) + m.mark("-") }},
	{"title subject headline caption heading", false, func(m *Maker, _ Name) string {
		if m.About.kind == aThing || m.About.kind == aText {
			if m.About.kind == aThing {
				return m.About.thing() + m.mark(" ")
			}
			return m.About.topic + m.mark(" ")
		}
		return m.About.name() + m.mark(" ")
	}},
	{"name label", true, func(m *Maker, _ Name) string { return m.About.name() + m.mark(" ") }},
	{"description body text content summary excerpt bio about comment message note notes remark review question answer", false, func(m *Maker, _ Name) string { return m.prose() }},
	{"sku number reference ref code barcode serial tracking isbn iban vat", false, func(m *Maker, _ Name) string {
		return fmt.Sprintf("%s-%05d", strings.ToUpper(Pick(m.Rand, labels)[:2]), m.reference())
	}},
	{"id key", true, func(m *Maker, _ Name) string { return m.code() }},
	{"ip", false, func(m *Maker, n Name) string { v, _ := m.formatted("ipv4", n); return v }},
	{"host hostname domain", false, func(m *Maker, n Name) string { v, _ := m.formatted("hostname", n); return v }},
	{"file filename path", false, func(m *Maker, _ Name) string { return slug(m.About.name()) + m.mark("-") + ".pdf" }},
	{"version", false, func(m *Maker, _ Name) string { return fmt.Sprintf("%d.%d.%d", 1+m.IntN(3), m.IntN(10), m.IntN(10)) }},
	{"unit", false, func(m *Maker, _ Name) string { return Pick(m.Rand, []string{"piece", "kg", "m", "litre"}) }},
	{"status", false, func(m *Maker, _ Name) string { return Pick(m.Rand, []string{"new", "active", "done"}) }},
}

// unmistakable are the words that a title or a description need only mention. Other words of
// the table are too common in sentences: "the name of the city".
const unmistakable = "email phone url slug postcode iban currency"

// named returns a text that suits the field's name, or else its title and description. An
// unknown name gives a thing: "Copper kettle". Most texts of a unique field end in the row's
// number (see mark).
func (m *Maker) named(n Name) string {
	if n.has("country") {
		if n.has("code") {
			return m.About.place.code
		}
		return m.About.place.country + m.mark(" ")
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
	return m.About.thing() + m.mark(" ")
}

// reference returns a number like those on invoices, from 10000 to 99999; in a unique field
// each row has its own. 37 and 90000 have no common divisor, so that 90,000 rows have different
// ones.
func (m *Maker) reference() int {
	if m.Unique {
		return 10000 + (m.Row*37+m.Try)%90000
	}
	return 10000 + m.IntN(90000)
}

// prose returns one to three sentences, in the order of a stride through the list, so that they
// differ.
func (m *Maker) prose() string {
	at, n := m.IntN(len(sentences)), 1+m.IntN(3)
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(sentences[(at+i*Step(len(sentences)))%len(sentences)])
	}
	return b.String() + m.mark(" ")
}
