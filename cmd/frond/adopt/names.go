package adopt

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/schema"
)

// entityName is the name of a table's entity: its words in camel case, the last one in the
// singular. plural is the segment of its REST paths if the regular plural of the name differs
// from the table's name, else "".
//
//	order_details      orderDetail
//	Order Details      orderDetail
//	people             person, plural people
//	film_actor         filmActor
func entityName(table string) (name, plural string) {
	words := schema.Words(ascii(table))
	if len(words) == 0 {
		words = []string{"table"}
	}
	last := len(words) - 1
	many := words[last]
	words[last] = singular(many)
	if words[last] != many && schema.Plural(words[last]) != many {
		plural = strings.Join(append(words[:last:last], many), "-")
	}
	return legal(strings.Join(words, "_"), "t"), plural
}

// fieldName is the name of a column's field: its words in camel case.
//
//	unit_price   unitPrice
//	CustomerID   customerId
//	2nd owner    f2ndOwner
func fieldName(column string) string {
	return legal(ascii(column), "f")
}

// legal is the name in camel case; first comes before a name that would begin with a digit, or
// be empty.
func legal(name, first string) string {
	name = schema.Camel(name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		return first + name
	}
	return name
}

// ascii spells letters of Latin scripts without their marks and every other character beyond
// ASCII by its number, so that two names stay two: names of cards are ASCII.
func ascii(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch plain, ok := latin[r]; {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case ok:
			b.WriteString(plain)
		default:
			b.WriteString("_u" + strconv.FormatInt(int64(r), 16) + "_")
		}
	}
	return b.String()
}

// latin are letters with marks, each with its spelling in ASCII.
var latin = func() map[rune]string {
	all := map[rune]string{'ß': "ss", 'æ': "ae", 'Æ': "Ae", 'œ': "oe", 'Œ': "Oe", 'ø': "o", 'Ø': "O", 'ł': "l", 'Ł': "L", 'đ': "d", 'Đ': "D", 'ä': "ae", 'ö': "oe", 'ü': "ue", 'Ä': "Ae", 'Ö': "Oe", 'Ü': "Ue"}
	for plain, marked := range map[string]string{
		"a": "àáâãåā", "A": "ÀÁÂÃÅĀ", "c": "çćč", "C": "ÇĆČ", "e": "èéêëēě", "E": "ÈÉÊËĒĚ", "i": "ìíîïī", "I": "ÌÍÎÏĪ",
		"n": "ñńň", "N": "ÑŃŇ", "o": "òóôõō", "O": "ÒÓÔÕŌ", "s": "śš", "S": "ŚŠ", "u": "ùúûū", "U": "ÙÚÛŪ", "y": "ýÿ", "z": "źżž", "Z": "ŹŻŽ",
	} {
		for _, r := range marked {
			all[r] = plain
		}
	}
	return all
}()

// irregular are plurals that no rule finds, and singulars that look like plurals.
var irregular = map[string]string{
	"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse", "feet": "foot", "teeth": "tooth", "geese": "goose",
	"indices": "index", "matrices": "matrix", "vertices": "vertex", "analyses": "analysis", "bases": "base", "criteria": "criterion",
	"movies": "movie", "cookies": "cookie", "zombies": "zombie", "ties": "tie", "pies": "pie", "caches": "cache", "shoes": "shoe", "aliases": "alias",
	"lives": "life", "knives": "knife", "wives": "wife", "leaves": "leaf", "halves": "half", "thieves": "thief", "loaves": "loaf", "calves": "calf",
	"series": "series", "species": "species", "news": "news", "lens": "lens", "canvas": "canvas", "atlas": "atlas", "bias": "bias", "gas": "gas",
}

// singular is the singular of a plural; any other word stays, and so does an irregular plural
// without an entry.
//
//	categories   category        boxes, addresses   box, address
//	courses      course          status, class      status, class
//	statuses     status          products           product
//	wolves       wolf
func singular(word string) string {
	if one, ok := irregular[word]; ok {
		return one
	}
	ends := func(list ...string) bool {
		for _, end := range list {
			if len(word) > len(end)+1 && strings.HasSuffix(word, end) {
				return true
			}
		}
		return false
	}
	switch {
	case strings.HasSuffix(word, "elves"), strings.HasSuffix(word, "olves"):
		return word[:len(word)-3] + "f"
	case ends("ies"):
		return word[:len(word)-3] + "y"
	case ends("sses", "shes", "ches", "xes", "zzes", "oes"):
		return word[:len(word)-2]
	case ends("uses") && !ends("ouses", "auses"): // statuses; but houses, causes
		return word[:len(word)-2]
	case ends("ss", "us", "is"):
		return word
	case ends("s"):
		return word[:len(word)-1]
	}
	return word
}

// Names of columns that hold secrets, and of tables that are a program's bookkeeping, as spaced
// writes them. A name is a hint alone: frond.yaml gets a comment, and no rule.
var (
	secretName = regexp.MustCompile(`password|passwd|passphrase|secret|apikey| (pwd|tokens?|api key|private key|access key|salt|otp|totp|credentials?) `)
	recordName = regexp.MustCompile(`migrations?\b|databasechangelog| (sessions?|tokens?|flyway|alembic|goose|schema version|ar internal metadata) `)
	humps      = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	separators = regexp.MustCompile(`[^A-Za-z0-9]+`)
)

// spaced returns the words of a name in lower case, with a space around each: " reset token ".
func spaced(name string) string {
	return " " + strings.TrimSpace(strings.ToLower(separators.ReplaceAllString(humps.ReplaceAllString(name, "$1 $2"), " "))) + " "
}

// suggest finds the entities that are bookkeeping by the names of their tables, and of the others
// the fields that hold secrets by the names of their columns.
func (b *builder) suggest(e *Entity) {
	if recordName.MatchString(spaced(e.Table.Name)) {
		e.Doorless = true
		b.note(suggested, e.Table.FullName(), "", "sessions, tokens or the record of migrations, by its name; write door: false for %s if no caller needs it", e.Name)
		return
	}
	for _, f := range e.Fields {
		if f.Column != nil && !f.Primary && secretName.MatchString(spaced(f.Column.Name)) {
			e.Secrets = append(e.Secrets, f.Name)
			b.note(suggested, e.Table.FullName(), f.Column.Name, "a secret, by its name; write hide: [%s] in the rules of %s", f.Name, e.Name)
		}
	}
}

// suggestions are the rules about secrets, as comments of frond.yaml, or "".
func (p *Project) suggestions() string {
	var rules strings.Builder
	for _, e := range p.Entities {
		if len(e.Table.Policies) > 0 {
			rules.WriteString(e.policyRules())
		}
		if len(e.Secrets) > 0 && len(e.Table.Policies) == 0 {
			fmt.Fprintf(&rules, "#   %s:\n#     - when: user != nil\n#       hide: [%s] # secrets, by their names\n#     - deny: all\n", e.Name, strings.Join(e.Secrets, ", "))
		}
	}
	return rules.String()
}
