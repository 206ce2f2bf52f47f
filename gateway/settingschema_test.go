package gateway

import (
	"bytes"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/frondhost/frond/schema"
)

// TestConfigSchemaAgreesWithTheReader: what the reader of gateway.yaml takes, the schema
// that editors use takes, and what it refuses for its keys or its form the schema refuses.
func TestConfigSchemaAgreesWithTheReader(t *testing.T) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(ConfigSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("gateway.json", doc); err != nil {
		t.Fatal(err)
	}
	s := c.MustCompile("gateway.json")
	valid := func(text string) bool {
		t.Helper()
		json, err := schema.ToJSON("gateway.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(json))
		if err != nil {
			t.Fatal(err)
		}
		return s.Validate(v) == nil
	}
	line := func(key, value string) string {
		words := strings.Split(key, ".")
		return strings.Join(words, ": {") + ": " + value + strings.Repeat("}", len(words)-1)
	}
	texts := []string{
		"limits: {body: 1, list: {default: 10}}", "limits: {body: [1]}", "limits: {body: huge}", "limit: {body: 1}", "limits: 5",
		"remotes: {a: http://x, b: {url: http://y, timeout: 3s, retries: 0, strict: true}}", "remotes: {a: {url: http://x, timout: 3s}}", "remotes: [http://x]",
		"limits: {memory: 'off', executions: 'off', write: 'off'}", "limits: {memory: 2GiB, executions: 7, write: 500ms}", "limits: {memory: lots}", "limits: {executions: many}",
		"mode: development", "mode: dev", "log: {level: debug}", "log: {level: loud}", "shutdown: {delay: 5s}", "shutdown: {delay: soon}",
		"identity: {dev: true, audience: [shop], algorithms: [RS256]}", "identity: {dev: maybe}", "audiences: {partner: /b2b}", "audiences: {partner: [b2b]}",
	}
	for _, setting := range Settings() {
		if setting.Default != "" {
			texts = append(texts, line(setting.Key, setting.Default))
		}
	}
	for _, text := range texts {
		var config Config
		faults := config.settings().ReadFile("gateway.yaml", []byte(text))
		if got, want := valid(text), len(faults) == 0; got != want {
			t.Errorf("%s: valid by the schema: %v, taken by the reader: %v (%v)", text, got, want, faults)
		}
	}
}
