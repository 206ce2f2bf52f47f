package setting_test

import (
	"strings"
	"testing"
	"time"

	"github.com/frondhost/frond/gateway/setting"
)

type config struct {
	Mode  string
	Keys  []string
	Skew  time.Duration
	Plain bool
	Store string
	Late  time.Duration
}

func (c *config) table() setting.Table {
	return setting.Table{
		setting.Choice("mode", "fast", "how it runs", &c.Mode, "fast", "slow", "off"),
		setting.New("signing.keys", "[]", "the keys", setting.Items, &c.Keys),
		setting.New("signing.clockSkew", "30s", "how far clocks differ", setting.Duration, &c.Skew),
		setting.New("compression", "true", "compress answers", setting.Not, &c.Plain),
		setting.New("store", "memory", "where rows are", setting.Text, &c.Store),
		setting.New("store.lateBy", "10s", "how late", setting.Duration, &c.Late),
	}
}

// TestReadFile: every value is set, and every fault has its place and what to write.
func TestReadFile(t *testing.T) {
	var c config
	if faults := c.table().ReadFile("gateway.yaml", []byte("mode: slow\nsigning: {keys: [a.pem, {kty: OKP}], clockSkew: 5s}\ncompression: off\n")); faults != nil {
		t.Fatal(faults)
	}
	if c.Mode != "slow" || len(c.Keys) != 2 || c.Keys[1] != `{"kty":"OKP"}` || c.Skew != 5*time.Second || !c.Plain {
		t.Errorf("%+v", c)
	}
	for text, want := range map[string]config{
		"store: a":                       {Store: "a"},
		"store: {url: a}":                {Store: "a"},
		"store: {url: a, lateBy: 5s}":    {Store: "a", Late: 5 * time.Second},
		"store: {lateBy: 5s, url: null}": {Late: 5 * time.Second},
	} {
		var c config
		if faults := c.table().ReadFile("gateway.yaml", []byte(text)); faults != nil || c.Store != want.Store || c.Late != want.Late {
			t.Errorf("%s: %+v, %v", text, c, faults)
		}
	}
	for text, want := range map[string]string{
		"store: {lateBy: 5s}":           "gateway.yaml#/store: store has no url; write a map with url, lateBy",
		"store: {ur: a, url: a}":        "gateway.yaml#/store/ur: there is no setting store.ur; write one of url, lateBy",
		"store: [a]":                    "gateway.yaml#/store: store takes one value; write store: memory",
		"url: a":                        "gateway.yaml#/url: there is no setting url; write one of",
		"mod: slow":                     "gateway.yaml#/mod: there is no setting mod; did you mean mode? write one of mode, signing, compression, store",
		"signing: {key: a}":             "gateway.yaml#/signing/key: there is no setting signing.key; did you mean keys? write one of keys, clockSkew",
		"signing: a":                    "gateway.yaml#/signing: signing takes a map; write a map with keys, clockSkew",
		"mode: [slow]":                  "gateway.yaml#/mode: mode takes one value; write mode: fast",
		"mode: quick":                   "gateway.yaml#/mode: mode cannot be quick; write fast, slow or off",
		"signing: {keys: [[hunter2]]}":  "gateway.yaml#/signing/keys: signing.keys cannot be this; write a list of words",
		"- mode":                        "gateway.yaml: is not a map of settings",
		"signing: {clockSkew: -1s}":     "gateway.yaml#/signing/clockSkew: signing.clockSkew cannot be -1s; write a duration",
		"compression: maybe\nmode: off": "gateway.yaml#/compression: compression cannot be maybe; write true or false",
	} {
		faults := new(config).table().ReadFile("gateway.yaml", []byte(text))
		if len(faults) != 1 || !strings.HasPrefix(faults[0].Error(), want) || strings.Contains(faults.Error(), "hunter2") {
			t.Errorf("%s: %v, want %s", text, faults, want)
		}
	}
}

// TestReadEnviron: a variable is named after its key, and an unknown one is no fault.
func TestReadEnviron(t *testing.T) {
	var c config
	environ := []string{"FROND_SIGNING_CLOCK_SKEW=2s", `FROND_SIGNING_KEYS={"kty":"OKP"}`, "FROND_MODE=", "FROND_MODUS=slow", "FROND_PORT=tcp://x", "HOME=/"}
	if faults := c.table().ReadEnviron(environ); faults != nil {
		t.Fatal(faults)
	}
	if c.Skew != 2*time.Second || len(c.Keys) != 1 || c.Mode != "" {
		t.Errorf("%+v", c)
	}
	if got := c.table().Unknown(environ); len(got) != 1 || got[0] != "FROND_MODUS" {
		t.Errorf("unknown: %q", got)
	}
	if faults := c.table().ReadEnviron([]string{"FROND_COMPRESSION=maybe"}); len(faults) != 1 || faults[0].File != "FROND_COMPRESSION" {
		t.Errorf("%v", faults)
	}
}

// TestSchema: what the reader accepts and a schema can say.
func TestSchema(t *testing.T) {
	text := string(new(config).table().Schema("settings"))
	for _, want := range []string{`"slow",`, `"clockSkew": {`, `"type": "boolean"`, `"additionalProperties": false`} {
		if !strings.Contains(text, want) {
			t.Errorf("without %s: %s", want, text)
		}
	}
}
