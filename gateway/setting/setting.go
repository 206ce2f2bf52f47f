package setting

import (
	"strings"
	"unicode"
)

// Setting is one value that can be set: in gateway.yaml under Key, in the
// environment as variable, on the command line as Flag.
type Setting struct {
	Key     string // dotted: limits.list.max
	Default string // as text; in brackets or braces for a setting that is a list or a map
	About   string // one line without a full stop, for help and documentation

	set      func(text string) error
	isSecret bool   // the text may hold a secret, and no fault repeats it
	form     string // JSON Schema of the value in the file; "": derived from Default and set
}

// New makes the row of a setting whose text read turns into the value at place.
// place is not changed until the setting is set, and not by a text that read refuses.
func New[T any](key, def, about string, read func(string) (T, error), place *T) Setting {
	return Setting{Key: key, Default: def, About: about, set: func(text string) error {
		v, err := read(text)
		if err == nil {
			*place = v
		}
		return err
	}}
}

// Choice makes the row of a setting that is one of a few words.
func Choice(key, def, about string, place *string, words ...string) Setting {
	return New(key, def, about, oneOf(words...), place).As(Enum(words...))
}

// As is the setting with a JSON Schema for its value in the file. Without one the
// schema follows from the default and from the texts that the reader accepts.
func (s Setting) As(form string) Setting {
	s.form = form
	return s
}

// Secret is the setting as one whose text may hold a secret: no fault repeats it.
func (s Setting) Secret() Setting {
	s.isSecret = true
	return s
}

// Enum is the JSON Schema of a value that is one of a few words.
func Enum(words ...string) string { return `{"enum":["` + strings.Join(words, `","`) + `"]}` }

// variable is the name of the setting in the environment: FROND_LIMITS_LIST_MAX.
func (s *Setting) variable() string { return "FROND_" + strings.ToUpper(s.joined('_')) }

// Flag is the name of the setting on the command line, without its dashes:
// limits-list-max.
func (s *Setting) Flag() string { return s.joined('-') }

// joined is the key with another separator between its words: clockSkew is two words.
func (s *Setting) joined(by rune) string {
	var b strings.Builder
	for _, r := range s.Key {
		switch {
		case r == '.':
			b.WriteRune(by)
		case unicode.IsUpper(r):
			b.WriteRune(by)
			b.WriteRune(unicode.ToLower(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isList reports whether the setting is a list: in the file a YAML list, in a variable or a flag
// comma-separated or JSON.
func (s *Setting) isList() bool { return strings.HasPrefix(s.Default, "[") }

// isMap reports whether the setting is a map with keys of the author's own.
func (s *Setting) isMap() bool { return s.Default == "{}" }
