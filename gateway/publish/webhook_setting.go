package publish

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Webhook is one URL that facts are sent to, as the settings have it.
type Webhook struct {
	Name     string            // of its position in the store, in the log and the metrics
	URL      string            // env:NAME, or the URL
	Facts    []string          // FACT or FROND.FACT
	Secrets  []string          // env:NAME, or whsec_…
	Allow    []netip.Prefix    // beside public addresses
	Headers  map[string]string // env:NAME, or the value
	Timeout  time.Duration     // of one attempt; 0: 15 s
	Parallel int               // messages at once; 0: 8
	Actor    bool              // who caused an event is sent
}

// webhookKeys are the members of a webhook.
var webhookKeys = []string{"name", "url", "facts", "secret", "allow", "headers", "timeout", "parallel", "actor"}

const webhooksHelp = "write a list of maps, such as [{name: billing, url: https://billing.example/hooks, facts: [orderPlaced], secret: env:BILLING_SECRET}]"

// readWebhooks reads the webhooks: a list in the file, JSON elsewhere; one object by itself is a
// list of one. The error names the webhook and the key at fault, and repeats no value: it may be a
// secret.
func readWebhooks(text string) (all []Webhook, err error) {
	items, err := setting.Items(text)
	if err != nil {
		return nil, errors.New(webhooksHelp)
	}
	for i, item := range items {
		w, err := readWebhook(json.RawMessage(item))
		switch {
		case err != nil && w.Name != "":
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		case err != nil:
			return nil, fmt.Errorf("number %d: %w", i+1, err)
		case slices.ContainsFunc(all, func(o Webhook) bool { return o.Name == w.Name }):
			return nil, fmt.Errorf("two are called %s; give each a name of its own", w.Name)
		}
		all = append(all, w)
	}
	return all, nil
}

// isName reports whether a text may name a webhook: it is part of a consumer's name.
func isName(text string) bool {
	return text != "" && len(text) <= 64 && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	})
}

func readWebhook(value json.RawMessage) (w Webhook, err error) {
	if jsontext.KindOf(value) != jsontext.Object {
		return w, errors.New(webhooksHelp)
	}
	for name, value := range jsontext.Members(value) {
		text := setting.TextOf(value)
		switch name {
		case "name":
			if w.Name = text; !isName(text) {
				w.Name, err = "", errors.New("write letters, digits, - and _, such as billing")
			}
		case "url":
			w.URL = text
		case "facts":
			w.Facts, err = setting.List(text)
		case "secret":
			w.Secrets, err = setting.List(text)
		case "allow":
			w.Allow, err = readAllow(text)
		case "headers":
			w.Headers, err = readHeaders(value)
		case "timeout":
			if w.Timeout, err = setting.Duration(text); err == nil && (w.Timeout < time.Second || w.Timeout > time.Minute) {
				err = errors.New("write a duration of 1s to 1m")
			}
		case "parallel":
			if w.Parallel, err = setting.Count(text); err == nil && w.Parallel > 64 {
				err = errors.New("write a number of 1 to 64")
			}
		case "actor":
			w.Actor, err = setting.Bool(text)
		default:
			err = errors.New("is not known; a webhook has " + strings.Join(webhookKeys, ", "))
		}
		if err != nil {
			return w, fmt.Errorf("%s: %w", name, err)
		}
	}
	switch {
	case w.Name == "":
		err = errors.New("has no name; write one such as name: billing")
	case w.URL == "":
		err = errors.New("has no url; write one such as url: https://billing.example/hooks")
	case len(w.Facts) == 0:
		err = errors.New("has no facts; name those that are sent, such as facts: [orderPlaced]")
	case len(w.Secrets) == 0:
		err = errors.New("has no secret; write one such as secret: env:BILLING_SECRET")
	}
	return w, err
}

// readAllow reads blocks of addresses; a single one is a block of itself.
func readAllow(text string) (blocks []netip.Prefix, err error) {
	items, err := setting.List(text)
	help := errors.New("write addresses or blocks of them, and no names, such as [10.0.0.0/8, 127.0.0.1]")
	if err != nil {
		return nil, help
	}
	for _, item := range items {
		block, err := netip.ParsePrefix(item)
		if err != nil {
			ip, err := netip.ParseAddr(item)
			if err != nil || ip.Zone() != "" {
				return nil, help
			}
			block = netip.PrefixFrom(ip.Unmap(), ip.Unmap().BitLen())
		}
		if block.Addr().Is4In6() {
			return nil, errors.New("write addresses of version 4 as such: 10.0.0.0/8 and not ::ffff:10.0.0.0/104")
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

// readHeaders reads a map of texts.
func readHeaders(value json.RawMessage) (map[string]string, error) {
	help := errors.New("write a map such as {Authorization: env:BILLING_TOKEN}")
	if jsontext.KindOf(value) != jsontext.Object {
		return nil, help
	}
	all := map[string]string{}
	for name, value := range jsontext.Members(value) {
		if jsontext.KindOf(value) != jsontext.String {
			return nil, help
		}
		all[name] = jsontext.Unquote(value)
	}
	return all, nil
}

// config is the webhook with its variables resolved. Every fault has its place, below at. dry takes what
// a variable holds as right.
func (w *Webhook) config(at string, dry bool) (hookConfig, schema.Faults) {
	c := hookConfig{Name: w.Name, Allow: w.Allow, Timeout: w.Timeout, Parallel: w.Parallel, Header: http.Header{}}
	var faults schema.Faults
	fault := func(key, message string, err error) {
		faults = append(faults, schema.Fault{File: setting.File, Pointer: at + "/" + key, Message: message, Remedy: err.Error()})
	}
	unknown := func(text string) bool { return dry && isVariable(text) }
	if !unknown(w.URL) {
		var err error
		if c.URL, err = Resolved(w.URL); err == nil {
			err = checkHookURL(c.URL)
		}
		if err != nil {
			fault("url", "the URL cannot be used", err)
		} else if err := checkHookReach(c.URL, w.Allow); err != nil {
			fault("url", "nothing could be sent to the URL", err)
		}
	}
	for _, text := range w.Secrets {
		if unknown(text) {
			continue
		}
		text, err := Resolved(text)
		var secret secret
		if err == nil {
			secret, err = parseSecret(text)
		}
		if err != nil {
			fault("secret", "the secret cannot be used", err)
		}
		c.Secrets = append(c.Secrets, secret)
	}
	for _, header := range slices.Sorted(maps.Keys(w.Headers)) {
		if unknown(w.Headers[header]) {
			continue
		}
		value, err := Resolved(w.Headers[header])
		if err == nil {
			err = checkHookHeader(http.Header{header: {value}})
		}
		if err != nil {
			fault("headers/"+jsontext.Token(header), "the header cannot be sent", err)
		}
		c.Header.Set(header, value)
	}
	return c, faults
}

// webhooksForm is the JSON Schema of the setting webhooks in the file.
func webhooksForm() string {
	const texts = `{"type":["string","array"],"items":{"type":"string"}}`
	return `{"type":["array","string"],"items":{"type":"object","required":["name","url","facts","secret"],"additionalProperties":false,"properties":{` +
		`"name":{"type":"string","pattern":"^[A-Za-z0-9_-]{1,64}$"},"url":{"type":"string"},"facts":` + texts + `,"secret":` + texts + `,"allow":` + texts + `,"headers":{"type":"object","additionalProperties":{"type":"string"}},` +
		`"timeout":` + setting.DurationForm + `,"parallel":{"type":"integer","minimum":1,"maximum":64},"actor":{"type":"boolean"}}}}`
}
