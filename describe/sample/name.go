package sample

import (
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// A name is looked at word by word. Tables in named.go, number.go and subject.go list words in
// one string, parted by spaces; has, ends and says ask for any of them:
//
//	createdAt    words [created at]     has "created", ends "at"
//	phoneNumbers singular [phone number]

// Name holds the words that describe a value: the field's own, and those around it.
type Name struct {
	words []string // of the field: [created at]
	title []string // of its title and description
}

// NewName returns the name of a field of a card, cut into words at capitals, hyphens and
// underscores.
func NewName(field string) Name { return Name{words: schema.Words(field)} }

// titled returns the name with the words of the schema's title and description. Hyphens are
// dropped, so that e-mail is the word email.
func (n Name) titled(s Shape) Name {
	n.title = nil
	for _, keyword := range []string{"title", "description"} {
		for word := range strings.FieldsFuncSeq(strings.ToLower(s.text(keyword)), func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) {
			n.title = append(n.title, strings.ReplaceAll(word, "-", ""))
		}
	}
	return n
}

// singular returns the name of one item of a list: categories becomes category, tags tag,
// address stays. The title of a list does not name an item.
func (n Name) singular() Name {
	if len(n.words) == 0 {
		return n
	}
	words := slices.Clone(n.words)
	last := &words[len(words)-1]
	switch {
	case strings.HasSuffix(*last, "ies"):
		*last = strings.TrimSuffix(*last, "ies") + "y"
	case strings.HasSuffix(*last, "s") && !strings.HasSuffix(*last, "ss"):
		*last = strings.TrimSuffix(*last, "s")
	}
	return Name{words: words}
}

// has reports whether one of the words, parted by spaces, is among the field's.
func (n Name) has(words string) bool {
	for word := range strings.FieldsSeq(words) {
		if slices.Contains(n.words, word) {
			return true
		}
	}
	return false
}

// ends reports whether the field's last word is one of the words: a lineAddress ends in
// address.
func (n Name) ends(words string) bool {
	return len(n.words) > 0 && slices.Contains(strings.Fields(words), n.words[len(n.words)-1])
}

// says is has, for the field's name, title and description.
func (n Name) says(words string) bool {
	if n.has(words) {
		return true
	}
	for word := range strings.FieldsSeq(words) {
		if slices.Contains(n.title, word) {
			return true
		}
	}
	return false
}
