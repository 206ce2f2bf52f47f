package setting

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Table is the rows of all settings, in the order they are documented. Its keys form
// a tree: limits.body is the key body in the map limits of the file.
type Table []Setting

// Set sets the setting of a key from its text. The error says what to write instead.
func (t Table) Set(key, text string) error {
	if s := t.find(key); s != nil {
		return s.set(text)
	}
	keys := t.keysBelow("")
	return fmt.Errorf("there is no setting %s; %swrite one of %s", key, schema.DidYouMean(key, keys), strings.Join(keys, ", "))
}

// ReadFile sets everything that a gateway.yaml says and reports everything wrong with
// it; name is the file's, for the faults. An unknown key is a fault that lists the
// valid keys.
func (t Table) ReadFile(name string, text []byte) schema.Faults {
	doc, err := schema.ToJSON(name, text)
	var faults schema.Faults
	switch {
	case errors.As(err, &faults):
		return faults
	case err != nil:
		return schema.Faults{{File: name, Message: err.Error(), Remedy: "correct it at the place that is shown"}}
	case jsontext.KindOf(doc) == jsontext.Object:
		return t.readMap(name, "", doc)
	case jsontext.IsNull(doc): // an empty file
		return nil
	}
	return schema.Faults{{File: name, Message: "is not a map of settings", Remedy: "write lines such as listen: 127.0.0.1:8080"}}
}

// Line returns the line of a gateway.yaml that sets a key: limits: {body: 1MiB}.
func Line(key, value string) string {
	above, name, below := strings.Cut(key, ".")
	if below {
		return fmt.Sprintf("%s: {%s}", above, Line(name, value))
	}
	return key + ": " + value
}

// readMap sets the members of the map at prefix: "" or a key with its dot. A setting that has
// others below it is written as its value alone, or as a map in which url is its value:
//
//	store: sqlite:shop.db
//	store: {url: "postgres://db/shop", replicas: ["postgres://copy/shop"]}
func (t Table) readMap(file, prefix string, m json.RawMessage) (faults schema.Faults) {
	for name, value := range jsontext.Members(m) {
		key := prefix + name
		s := t.find(key)
		if above := strings.TrimSuffix(prefix, "."); s == nil && name == "url" && above != prefix {
			s = t.find(above)
		}
		below := t.keysBelow(key + ".")
		kind := jsontext.KindOf(value)
		var message, remedy string
		switch {
		case s == nil && below == nil:
			message = fmt.Sprintf("there is no setting %s", key)
			valid := t.keysBelow(prefix)
			if t.find(strings.TrimSuffix(prefix, ".")) != nil {
				valid = append([]string{"url"}, valid...)
			}
			remedy = schema.DidYouMean(name, valid) + "write one of " + strings.Join(valid, ", ")
		case kind == jsontext.Null: // a key without a value: the default holds
		case s != nil && below != nil && kind == jsontext.Object && jsontext.Get(value, "url") == nil:
			message = fmt.Sprintf("%s has no url", key)
			remedy = "write a map with url, " + strings.Join(below, ", ")
		case below != nil && kind == jsontext.Object:
			faults = append(faults, t.readMap(file, key+".", value)...)
		case below != nil && s == nil:
			message = fmt.Sprintf("%s takes a map", key)
			remedy = "write a map with " + strings.Join(below, ", ")
		case (s.isList() || s.isMap()) && (kind == jsontext.Object || kind == jsontext.Array):
			if err := s.set(string(value)); err != nil { // the value is not repeated: it may hold a key
				message = fmt.Sprintf("%s cannot be this", key)
				remedy = err.Error()
			}
		case kind == jsontext.Object || kind == jsontext.Array:
			message = fmt.Sprintf("%s takes one value", key)
			remedy = "write " + Line(key, cmp.Or(s.Default, "…"))
		default:
			text := TextOf(value)
			if err := s.set(text); err != nil {
				message = fmt.Sprintf("%s cannot be %s", key, s.shown(text))
				remedy = err.Error()
			}
		}
		if message != "" {
			pointer := "/" + strings.ReplaceAll(jsontext.Token(key), ".", "/")
			faults = append(faults, schema.Fault{File: file, Pointer: pointer, Message: message, Remedy: remedy})
		}
	}
	return faults
}

// shown is a text as a fault repeats it.
func (s *Setting) shown(text string) string {
	if s.isSecret {
		return "this"
	}
	return text
}

// Quoted is a text as a fault about a variable or a flag repeats it: quoted, or "this"
// where the setting is a [Setting.Secret].
func (s *Setting) Quoted(text string) string {
	if s.isSecret {
		return "this"
	}
	return strconv.Quote(text)
}

// ReadEnviron sets the FROND_ variables of environ, as [os.Environ] gives
// them; an empty variable is not set. Unknown variables are left to [Table.Unknown]:
// an orchestrator adds some of its own.
func (t Table) ReadEnviron(environ []string) (faults schema.Faults) {
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		s := t.variable(name)
		if s == nil || value == "" {
			continue
		}
		if err := s.set(value); err != nil {
			faults = append(faults, schema.Fault{File: name, Message: "cannot be " + s.Quoted(value), Remedy: err.Error()})
		}
	}
	return faults
}

// Unknown lists the FROND_ variables of environ without a setting. Kubernetes sets FROND_PORT
// and FROND_SERVICE_HOST for a service called frond, so these are not listed.
func (t Table) Unknown(environ []string) (names []string) {
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		known := name == "FROND_CONFIG" || strings.HasPrefix(name, "FROND_PORT") || strings.HasPrefix(name, "FROND_SERVICE_") || t.variable(name) != nil
		if strings.HasPrefix(name, "FROND_") && !known {
			names = append(names, name)
		}
	}
	return names
}

// find is the setting of a key, or nil.
func (t Table) find(key string) *Setting {
	return t.first(func(s *Setting) bool { return s.Key == key })
}

func (t Table) variable(name string) *Setting {
	return t.first(func(s *Setting) bool { return s.variable() == name })
}

func (t Table) first(is func(*Setting) bool) *Setting {
	for i := range t {
		if is(&t[i]) {
			return &t[i]
		}
	}
	return nil
}

// keysBelow lists the keys under prefix, which ends in a dot or is empty; of keys with several
// words the first. It may be nil.
func (t Table) keysBelow(prefix string) (keys []string) {
	for i := range t {
		if rest, ok := strings.CutPrefix(t[i].Key, prefix); ok {
			word, _, _ := strings.Cut(rest, ".")
			if !slices.Contains(keys, word) {
				keys = append(keys, word)
			}
		}
	}
	return keys
}
