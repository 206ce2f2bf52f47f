package topology

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Remote is where the operations of a remote Frond run (spec 1.6), and how it is called.
// The zero value of each field but URL is its default.
type Remote struct {
	URL     string        // base address: http://10.0.0.7:4100
	Connect time.Duration // for a connection; 0: 2 s
	Attempt time.Duration // for one request; 0: 5 s
	Timeout time.Duration // for a call with its retries; 0: 10 s
	Retries *int          // of queries; nil: 2
	// Strict refuses answers that do not conform to their cards; else that is logged. Without
	// it one answer a second of each operation is checked (docs/decisions/remotes.md).
	Strict bool
	// NoCoalesce sends equal queries that arrive together one by one. Only queries of equal
	// state are ever coalesced (docs/decisions/coalescing.md).
	NoCoalesce bool
	// Open says that its doors without access rules here are open: its host alone decides over their
	// calls. mode: production demands rules or this word (docs/remotes.md).
	Open bool
	// Shadow is the share of queries, at most 1, that the host is asked too while the Frond runs here (docs/shadow.md); 0: the Frond
	// runs at the host.
	Shadow float64
	// Bounds of its discovery document: types, checks and routes are made of it.
	Doors    int   // 0: 1,000
	Fields   int   // of all its cards together; 0: 200,000
	Document int64 // bytes; 0: 16 MiB
}

// The default bounds of a discovery document.
const (
	maxDoors    = 1000
	maxFields   = 200_000
	maxDocument = 16 << 20
)

// remotesHelp is the remedy for a value that is no map of remotes.
const remotesHelp = "write an address for each Frond, such as {billing: http://10.0.0.7:4100} or {billing: {url: http://10.0.0.7:4100, timeout: 3s}} in the file, or billing=http://10.0.0.7:4100 elsewhere"

// ReadRemotes reads which Fronds run elsewhere: a map in the file; elsewhere JSON, or
// billing=http://10.0.0.7:4100 with commas between them.
//
//	{billing: http://10.0.0.7:4100}                                 gateway.yaml
//	{billing: {url: http://10.0.0.7:4100, timeout: 3s, retries: 0}}   gateway.yaml
//	billing=http://10.0.0.7:4100,stock=http://10.0.0.8:4100         environment and flags
//
// No remote at all is nil. The error names the Frond and the key at fault.
func ReadRemotes(text string) (map[string]Remote, error) {
	all := map[string]Remote{}
	if doc := []byte(text); jsontext.Check(doc) == nil {
		if jsontext.KindOf(doc) != jsontext.Object {
			return nil, errors.New(remotesHelp)
		}
		for name, value := range jsontext.Members(doc) {
			r, err := readRemote(value)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if err := addRemote(all, name, r); err != nil {
				return nil, err
			}
		}
	} else {
		for pair := range strings.SplitSeq(text, ",") {
			name, address, ok := strings.Cut(strings.TrimSpace(pair), "=")
			if !ok || name == "" {
				return nil, errors.New(remotesHelp)
			}
			if err := addRemote(all, strings.TrimSpace(name), Remote{URL: strings.TrimSpace(address)}); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if err := checkAddress(all[name].URL); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	// An empty map is nil, so that New makes no topology of it.
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}

// addRemote adds a remote. A Frond has one host.
func addRemote(all map[string]Remote, name string, r Remote) error {
	for other, o := range all {
		if strings.EqualFold(name, other) && o.URL != r.URL {
			return fmt.Errorf("%s is served by two remotes, %s and %s; write one address, or a balancer's", other, o.URL, r.URL)
		}
	}
	all[name] = r
	return nil
}

// remoteKeys are the members of a remote in the form of a map.
var remoteKeys = []string{"url", "connect", "attempt", "timeout", "retries", "strict", "coalesce", "open", "shadow", "doors", "fields", "document"}

// readRemote reads one remote: its address, or a map with more.
func readRemote(value json.RawMessage) (r Remote, err error) {
	if jsontext.KindOf(value) == jsontext.String {
		r.URL = jsontext.Unquote(value)
		return r, nil
	}
	if jsontext.KindOf(value) != jsontext.Object {
		return r, errors.New(remotesHelp)
	}
	for name, value := range jsontext.Members(value) {
		text := setting.TextOf(value)
		switch name {
		case "url":
			r.URL = text
		case "connect":
			r.Connect, err = setting.Duration(text)
		case "attempt":
			r.Attempt, err = setting.Duration(text)
		case "timeout":
			r.Timeout, err = setting.Duration(text)
		case "retries":
			n := 0
			// setting.Count takes positive numbers alone; here 0 turns retries off.
			if text != "0" {
				n, err = setting.Count(text)
			}
			r.Retries = &n
		case "strict":
			r.Strict, err = setting.Bool(text)
		case "coalesce":
			r.NoCoalesce, err = setting.Not(text)
		case "open":
			r.Open, err = setting.Bool(text)
		case "shadow":
			r.Shadow, err = readShare(text)
		case "doors":
			r.Doors, err = setting.Count(text)
		case "fields":
			r.Fields, err = setting.Count(text)
		case "document":
			r.Document, err = setting.Size(text)
		default:
			err = errors.New("is not known; a remote has " + strings.Join(remoteKeys, ", "))
		}
		if err != nil {
			return r, fmt.Errorf("%s %w", name, err)
		}
	}
	return r, nil
}

// readShare reads a share such as 10%, more than 0% and at most 100%.
func readShare(text string) (float64, error) {
	number, percent := strings.CutSuffix(text, "%")
	n, err := strconv.ParseFloat(number, 64)
	if !percent || err != nil || !(n > 0 && n <= 100) {
		return 0, errors.New("is no share; write one above 0% and up to 100%, such as 10%, or leave shadow out, and the Frond runs at the host")
	}
	return n / 100, nil
}

// Split parts the remotes into the Fronds that run at their hosts, and those that run here while their host is asked too.
func Split(remotes map[string]Remote) (moved, shadowed map[string]Remote) {
	for name, r := range remotes {
		into := &moved
		if r.Shadow != 0 {
			into = &shadowed
		}
		if *into == nil {
			*into = map[string]Remote{}
		}
		(*into)[name] = r
	}
	return moved, shadowed
}

// checkAddress reports a text that is no base address. Credentials in it are refused: they
// would be in every log line that names the remote. A path stays: the host may be behind a
// prefix. A query and a fragment have no place in front of the path of a call.
func checkAddress(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return errors.New("write the address of a host, such as http://10.0.0.7:4100, without a query")
	}
	return nil
}

// Check reports faults between the remotes: Fronds at one address have one client, so their
// settings have to be equal.
func Check(remotes map[string]Remote) (faults schema.Faults) {
	// A slash at the end makes no other address: New trims it as well.
	byURL := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(remotes)) {
		r := remotes[name]
		if r.Shadow < 0 || r.Shadow > 1 { // of a program: a file has its own words for it
			faults = append(faults, schema.Fault{File: setting.File, Pointer: "/remotes/" + jsontext.Token(name) + "/shadow", Message: "is no share", Remedy: "write one above 0 and up to 1"})
		}
		address := strings.TrimRight(r.URL, "/")
		other, shared := byURL[address]
		if byURL[address] = name; !shared {
			continue
		}
		o := remotes[other]
		if o.URL, r.URL = "", ""; o.Connect != r.Connect || o.Attempt != r.Attempt || o.Timeout != r.Timeout || o.Doors != r.Doors || o.Fields != r.Fields || o.Document != r.Document || o.Strict != r.Strict || o.NoCoalesce != r.NoCoalesce || retriesOf(o) != retriesOf(r) {
			faults = append(faults, schema.Fault{
				File: setting.File, Pointer: "/remotes/" + jsontext.Token(name),
				Message: fmt.Sprintf("%s and %s run at one address and are called differently", other, name),
				Remedy:  "write the same timeouts, retries, limits, strict and coalesce for both",
			})
		}
	}
	return faults
}

// options is the settings in a client's form, whose calls are known by a Frond's name.
func (r *Remote) options(frond string) *client.Options {
	retries := retriesOf(*r)
	if retries == 0 {
		retries = -1 // as the client spells none
	}
	return &client.Options{
		Name: frond, Connect: r.Connect, Attempt: r.Attempt, Timeout: r.Timeout, Retries: retries, Strict: r.Strict, NoCoalesce: r.NoCoalesce,
		MaxDocument: cmp.Or(r.Document, maxDocument),
		Discovery:   schema.DiscoveryLimits{Doors: cmp.Or(r.Doors, maxDoors), Fields: cmp.Or(r.Fields, maxFields)},
	}
}

// retriesOf is the number of retries of queries, with the default. A command is sent again only
// if no connection took any of it, with any number (docs/decisions/remotes.md).
func retriesOf(r Remote) int {
	if r.Retries == nil {
		return 2
	}
	return *r.Retries
}

// Form is the JSON Schema of the setting remotes in the file. The values are
// checked by [ReadRemotes]; the schema only names the keys.
func Form() string {
	b := []byte(`{"type":"object","additionalProperties":{"anyOf":[{"type":"string"},{"type":"object","required":["url"],"additionalProperties":false,"properties":{`)
	for _, name := range remoteKeys {
		b = append(jsontext.Comma(b), `"`+name+`":{"type":["string","integer","boolean"]}`...)
	}
	return string(append(b, `}}]}}`...))
}
