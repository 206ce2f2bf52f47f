package gateway

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
)

// ConfigSchema is the JSON Schema of a gateway.yaml, for editors. It is made of the
// settings and their readers.
func ConfigSchema() json.RawMessage {
	return schema.KeySchema("gateway.yaml: how a gateway runs; every key has a default", settingKeys(""))
}

// settingKeys are the settings below prefix as a table of keys.
func settingKeys(prefix string) (keys []schema.Key) {
	for _, name := range keysBelow(prefix) {
		key := schema.Key{Name: name}
		i := slices.IndexFunc(settings, func(s Setting) bool { return s.Key == prefix+name })
		if i < 0 {
			key.About = "Settings of " + prefix + name + "."
			key.Keys = settingKeys(prefix + name + ".")
		} else {
			s := &settings[i]
			key.About, key.Default, key.Form = s.About+".", s.Default, s.form()
		}
		keys = append(keys, key)
	}
	return keys
}

// oneOf are the settings that take one of a few words.
var oneOf = map[string][]string{
	"mode":                   {Production, Development},
	"graphql.documents.mode": {DocumentsOff, DocumentsLog, DocumentsEnforce},
	"log.level":              {"debug", "info", "warn", "error"},
	"log.format":             {"auto", "text", "json"},
}

// wordOr are the settings that take a word as well as a number.
var wordOr = map[string]string{
	"limits.memory":     `{"type":["string","integer"],"pattern":"^(off|[0-9]+ *(%|[KMG]iB)?)$"}`,
	"limits.executions": `{"type":["string","integer"],"pattern":"^(auto|off|[0-9]+)$"}`,
	"limits.write":      `{"type":["string","integer"],"pattern":"^(off|0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}`,
}

// form is what the setting takes in the file, as a JSON Schema: what its default and
// its reader show.
func (s *Setting) form() string {
	takes := func(text string) bool { return s.set(&Config{}, text) == nil }
	switch {
	case s.Key == "remotes":
		return `{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"object","required":["url"],"additionalProperties":false,"properties":` + remoteForms() + `}]}}`
	case s.Default == "{}":
		return `{"type":"object","additionalProperties":{"type":"string"}}`
	case s.list():
		return `{"type":["array","string"],"items":{"type":["string","object"]}}`
	case wordOr[s.Key] != "":
		return wordOr[s.Key]
	case oneOf[s.Key] != nil:
		return `{"enum":["` + strings.Join(oneOf[s.Key], `","`) + `"]}`
	case s.Default == "true" || s.Default == "false":
		return `{"type":"boolean"}`
	case takes("7s") && !takes("a word"):
		return `{"type":["string","integer"],"pattern":"^(0|([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+)$"}`
	case takes("7KiB") && !takes("a word"):
		return `{"type":["integer","string"],"minimum":1,"pattern":"^[0-9]+ *([KMG]iB)?$"}`
	case takes("7") && !takes("a word"):
		return `{"type":"integer"}`
	}
	return `{"type":"string"}`
}

func remoteForms() string {
	b := []byte{'{'}
	for i, name := range remoteKeys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `"`+name+`":{"type":["string","integer","boolean"]}`...)
	}
	return string(append(b, '}'))
}
