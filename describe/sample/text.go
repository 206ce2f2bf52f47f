package sample

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/frondhost/frond/schema/jsontext"
)

// string returns a text of the shape's format, pattern and length that its name leads to. In
// this order: the format; the name, in the first 20 attempts; the pattern, drawn up to 30
// times; a code without a meaning. It reports false if all of them fail.
func (m *Maker) string(s Shape, name Name) (json.RawMessage, bool) {
	least, most := s.Count("minLength", 0), s.Count("maxLength", 1<<20)
	pattern := s.text("pattern")
	fits := func(text string) bool {
		n := utf8.RuneCountInString(text)
		return n >= least && n <= most && fitsPattern(pattern, text)
	}
	if text, ok := m.formatted(s.text("format"), name); ok {
		// A format and a length that contradict each other: the judge decides.
		if fits(text) || pattern == "" && m.Try > 5 {
			return jsontext.Quote(text), true
		}
	} else if text := m.fitMarked(m.named(name), least, most); m.Try < 20 && fits(text) {
		return jsontext.Quote(text), true
	}
	if pattern != "" {
		for range 30 {
			if text, ok := m.matching(pattern); ok && fits(text) {
				return jsontext.Quote(text), true
			}
		}
		return nil, false
	}
	text := m.fitMarked(m.code(), least, most)
	return jsontext.Quote(text), fits(text)
}

// fitsPattern reports whether a text matches. A pattern this host cannot run is the judge's
// affair, and every text fits it.
func fitsPattern(pattern, text string) bool {
	if pattern == "" {
		return true
	}
	re, err := regexp.Compile(pattern)
	return err != nil || re.MatchString(text)
}

// formatted returns a text of one of the asserted formats (JSON Schema Validation section 7);
// false for others. Its hosts and addresses are reserved for examples (RFC 2606, RFC 5737, RFC
// 3849).
func (m *Maker) formatted(format string, name Name) (string, bool) {
	switch format {
	case "date-time":
		return m.moment(name).Format("2006-01-02T15:04:05.000Z07:00"), true
	case "date":
		return m.moment(name).Format(time.DateOnly), true
	case "time":
		return fmt.Sprintf("%02d:%02d:00Z", 7+m.IntN(12), m.IntN(4)*15), true
	case "duration":
		return fmt.Sprintf("PT%dM", 5*(1+m.IntN(24))), true
	case "email":
		return m.email(), true
	case "uri", "uri-reference":
		return m.url(name), true
	case "hostname":
		return slug(m.About.company) + m.mark("-") + ".example.org", true
	case "ipv4":
		return fmt.Sprintf("192.0.2.%d", 1+m.IntN(254)), true
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", 1+m.IntN(0xffff)), true
	case "uuid":
		return uuid(m.Uint64(), m.Uint64()), true
	case "regex":
		return "^" + Pick(m.Rand, labels) + "[0-9]+$", true
	case "json-pointer":
		return "/" + Pick(m.Rand, labels) + "/" + strconv.Itoa(m.IntN(9)), true
	case "decimal":
		likely := spanFor(name, false)
		v, ok := m.Number(Shape{}, name, false)
		text := string(v)
		// Money has at least two decimals: 24.90.
		if whole, fraction, _ := strings.Cut(text, "."); likely.step.FloatString(2) == "0.01" {
			text = whole + "." + (fraction + "00")[:max(2, len(fraction))]
		}
		return text, ok
	}
	return "", false
}

// uuid writes 128 bits as a random one (RFC 9562, version 4): six of the bits are fixed.
func uuid(a, b uint64) string {
	a = a&^0xf000 | 0x4000
	b = b&^(3<<62) | 1<<63
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}

// mark makes the values of a unique field different: a separator and the row's number. Attempts
// are a thousand apart, so that they do not meet the next rows. "" if values may repeat.
func (m *Maker) mark(separator string) string {
	if !m.Unique {
		return ""
	}
	return separator + strconv.Itoa(m.Row+1+m.Try*1000)
}

// email returns the address of the row's person, or of the office of its company.
func (m *Maker) email() string {
	if m.About.kind == aCompany {
		return "office" + m.mark("") + "@" + slug(m.About.company) + ".example.com"
	}
	return slug(m.About.first) + "." + slug(m.About.last) + m.mark("") + "@example.org"
}

// url returns an address that suits the name of the field: of an image, of a company's site, or
// of a page about the row.
func (m *Maker) url(name Name) string {
	path := slug(m.About.name()) + m.mark("-")
	switch {
	case name.has("image photo picture avatar thumbnail cover logo icon"):
		return "https://images.example.org/" + path + ".jpg"
	case name.has("website homepage site") && m.About.kind == aCompany:
		return "https://" + slug(m.About.company) + m.mark("-") + ".example.com/"
	}
	return "https://example.org/" + path
}

// fitMarked returns a text of a length that still contains what distinguishes it from others: the
// mark at its end is kept and the text in front of it cut.
func (m *Maker) fitMarked(text string, least, most int) string {
	mark := m.mark("")
	if n := utf8.RuneCountInString(text); !m.Unique || n <= most || len(mark) > most {
		return fitted(text, least, most)
	}
	return fitted(text, 0, most-len(mark)) + mark
}

// fitted returns a text of a length in code points: cut at a word, or drawn out by sentences
// or, below 40, by single words.
func fitted(text string, least, most int) string {
	runes := []rune(text)
	if len(runes) > most {
		cut := strings.TrimRight(string(runes[:most]), " ,-")
		if i := strings.LastIndexByte(cut, ' '); i > 0 && utf8.RuneCountInString(cut[:i]) >= max(least, most/2) {
			cut = cut[:i]
		}
		return strings.TrimRight(cut, " ,-.")
	}
	for i := 0; utf8.RuneCountInString(text) < least; i++ {
		next := sentences[i%len(sentences)]
		if least < 40 { // no room for a sentence
			next = labels[i%len(labels)]
		}
		text = strings.TrimLeft(text+" "+next, " ")
		if runes := []rune(text); len(runes) > most {
			text = strings.TrimRight(string(runes[:most]), " ")
			return text + strings.Repeat("x", max(0, least-utf8.RuneCountInString(text)))
		}
	}
	return text
}

// code is a short text without a meaning.
func (m *Maker) code() string {
	// Without 0, 1, l and o, which look alike.
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	b := make([]byte, 4+m.IntN(4)+m.Try/4)
	for i := range b {
		b[i] = letters[m.IntN(len(letters))]
	}
	return string(b) + m.mark("")
}
