package format

import (
	"strings"
	"unicode"

	"golang.org/x/net/idna"
)

// registration checks the rules for registering a name (RFC 5891, section 4): no mapping, no
// hyphens in the third and fourth place, joiners only in allowed places, the rules of text that
// runs from right to left (RFC 5893).
var registration = idna.New(idna.ValidateForRegistration(), idna.BidiRule(), idna.CheckJoiners(true), idna.CheckHyphens(true), idna.StrictDomainName(true))

// isALabel says whether a label that begins with xn-- is the one spelling of a name that IDNA
// 2008 allows: it decodes, and the name encodes to the same label again. Case does not matter.
//
//	xn--bcher-kva    bücher, allowed
//	xn--0            decodes to an empty name
func isALabel(label string) bool {
	label = strings.ToLower(label)
	name, err := registration.ToUnicode(label)
	if err != nil || strings.HasPrefix(name, "xn--") {
		return false
	}
	back, err := registration.ToASCII(name)
	return err == nil && back == label && inContext([]rune(name))
}

// inContext checks the rules of IDNA 2008 beyond package idna, which follows UTS #46: the
// characters that RFC 5892 disallows by name (section 2.6), and those that it allows only next
// to others (appendix A.3 to A.9).
func inContext(name []rune) bool {
	var arabic, extended, kana bool
	for _, r := range name {
		arabic = arabic || r >= 0x660 && r <= 0x669
		extended = extended || r >= 0x6f0 && r <= 0x6f9
		kana = kana || r != 0x30fb && unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han)
	}
	at := func(i int) rune { // -1 beyond the ends
		if i < 0 || i >= len(name) {
			return -1
		}
		return name[i]
	}
	for i, r := range name {
		ok := true
		switch r {
		// RFC 5892 section 2.6: tatweel, Nko lajanyalan, tone marks and kana repeat marks.
		case 0x640, 0x7fa, 0x302e, 0x302f, 0x3031, 0x3032, 0x3033, 0x3034, 0x3035, 0x303b:
			ok = false
		case 0xb7: // middle dot: between two l
			ok = at(i-1) == 'l' && at(i+1) == 'l'
		case 0x375: // Greek keraia: before Greek
			ok = unicode.Is(unicode.Greek, at(i+1))
		case 0x5f3, 0x5f4: // Hebrew geresh, gershayim: after a Hebrew letter
			ok = unicode.Is(unicode.Hebrew, at(i-1))
		case 0x30fb: // Katakana middle dot: with a Japanese letter
			ok = kana
		}
		if !ok {
			return false
		}
	}
	// Hyphens in the third and fourth place are for prefixes; idna counts bytes there.
	return !(arabic && extended) && !(at(2) == '-' && at(3) == '-')
}
