package guard

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/rs/cors"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
)

// CORS says which other sites' pages may call (the Fetch standard, CORS protocol). The zero
// value allows no site: a browser then keeps every answer from them, and sends no request that
// needs a preflight.
type CORS struct {
	// Origins are written as https://shop.example; a single * allows all of them.
	Origins []string
	// Headers are the request headers that a page may send as well as the safelisted ones; nil
	// means those that the surfaces read, Authorization among them.
	Headers []string
	// Credentials lets browsers send cookies along. Not with the origin *.
	Credentials bool
	// MaxAge is how long a browser may cache a preflight; 0 means ten minutes, less
	// than 0 not at all.
	MaxAge time.Duration
}

// everyOrigin is the only pattern among origins.
const everyOrigin = "*"

// Settings are the rows of cors.
func (c *CORS) Settings() []setting.Setting {
	return []setting.Setting{
		setting.New("cors.origins", "[]", "the sites whose pages may read the answers, such as [https://shop.example]; [*] is every site", readOrigins, &c.Origins),
		setting.New("cors.headers", "[Authorization, Content-Disposition, Content-Type, If-Match, If-None-Match, Last-Event-ID, Prefer, Range, traceparent, tracestate]", "the headers that such a page may send", readHeaders, &c.Headers),
		setting.New("cors.credentials", "false", "let such a page's browser send cookies", setting.Bool, &c.Credentials),
		setting.New("cors.maxAge", "10m", "how long a browser may cache a preflight", readMaxAge, &c.MaxAge),
	}
}

// WithDefaults is c with every empty setting filled in.
func (c CORS) WithDefaults() CORS {
	if len(c.Headers) == 0 {
		c.Headers = []string{"Authorization", "Content-Disposition", "Content-Type", "If-Match", "If-None-Match", "Last-Event-ID", "Prefer", "Range", "traceparent", "tracestate"}
	}
	c.MaxAge = cmp.Or(c.MaxAge, 10*time.Minute)
	return c
}

// Check reports faults between settings that are each valid.
func (c *CORS) Check() (faults schema.Faults) {
	fault := func(key, message, remedy string) {
		faults = append(faults, schema.Fault{File: setting.File, Pointer: "/cors/" + key, Message: message, Remedy: remedy})
	}
	for _, origin := range c.Origins { // a Config may come from Go
		if err := checkOrigin(origin); err != nil {
			fault("origins", fmt.Sprintf("%q is no origin", origin), err.Error())
		}
	}
	every := slices.Contains(c.Origins, everyOrigin)
	if every && c.Credentials {
		fault("credentials", "with cookies, the page of any site would call with the rights of its visitor", "name the origins, or set cors.credentials to false")
	}
	if every && len(c.Origins) > 1 {
		fault("origins", "the origin * is all of them already", "write [*] alone, or leave it out")
	}
	if c.Credentials && len(c.Origins) == 0 {
		fault("credentials", "there is no origin that could send cookies", "name origins in cors.origins, or set cors.credentials to false")
	}
	return faults
}

// corsExposed are the headers of answers that a page may read.
var corsExposed = []string{"Accept-Ranges", "Allow", "Content-Disposition", "Content-Location", "Content-Range", "Deprecation", "ETag", "Link", "Location", "Preference-Applied", "Retry-After", "Sunset", "WWW-Authenticate", consistency.Header, facade.PositionHeader}

// ReadBy makes the answers of a path readable for the pages of c.Origins.
//
// local adds the pages of the visitor's own machine, on any port: of a development server such as
// http://localhost:5173.
func (p *Path) ReadBy(c *CORS, local bool) {
	if len(c.Origins) == 0 && !local {
		return
	}
	every := slices.Contains(c.Origins, everyOrigin)
	age := int(c.MaxAge / time.Second)
	if age <= 0 {
		age = -1 // how the library spells 0
	}
	options := cors.Options{
		AllowedOrigins:   c.Origins,
		AllowedMethods:   []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete},
		AllowedHeaders:   append(slices.Clone(c.Headers), consistency.Header), // a page that may read it echoes it
		ExposedHeaders:   corsExposed,
		AllowCredentials: c.Credentials,
		MaxAge:           age,
	}
	if local && !every {
		options.AllowOriginFunc = func(origin string) bool {
			return slices.Contains(c.Origins, origin) || Hosts(nil).ownOrigin(origin)
		}
	}
	p.readers = &readers{cors.New(options)}
}

// readers are the pages of other sites that may read answers; nil: no site's.
type readers struct{ rules *cors.Cors }

// admit marks an answer as readable by the page that sent the request, if it is one of them. A
// preflight is answered here, since it comes without credentials.
//
// The answer gets Vary: Origin last. Surfaces set and delete Vary for their own answers; without
// Origin a cache could give one site's answer to another.
func (p *readers) admit(a *answer, r *http.Request) {
	if p != nil {
		a.varies = true
		p.rules.HandlerFunc(a, r)
	}
}

// varyOn adds a name to Vary unless it is there. It makes a list of its own, since a
// surface may share one list between all its answers.
func varyOn(h http.Header, name string) {
	for _, line := range h["Vary"] {
		for said := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(said), name) {
				return
			}
		}
	}
	h["Vary"] = append(slices.Clip(h["Vary"]), name)
}

// readOrigins reads origins as browsers send them: a scheme, a host, and a port unless
// it is the scheme's own. Patterns are refused: they let in more than is meant.
func readOrigins(text string) ([]string, error) {
	origins, err := setting.List(text)
	if err != nil {
		return nil, errOrigin
	}
	for _, origin := range origins {
		if err := checkOrigin(origin); err != nil {
			return nil, err
		}
	}
	return origins, nil
}

var errOrigin = errors.New("write origins such as [https://shop.example] or [http://localhost:3000]; [*] alone is every site")

// checkOrigin reports a text that no browser sends as an origin: a default port, a path and
// capitals would never match.
func checkOrigin(origin string) error {
	if origin == everyOrigin {
		return nil
	}
	u, err := url.Parse(origin)
	switch {
	case err != nil, u.Scheme == "", u.Hostname() == "",
		origin != u.Scheme+"://"+u.Host, // something in front or behind
		origin != strings.ToLower(origin), strings.Contains(origin, "*"), strings.HasSuffix(origin, ":"),
		u.Scheme == "http" && u.Port() == "80", u.Scheme == "https" && u.Port() == "443":
		return errOrigin
	}
	return nil
}

// readHeaders reads names of headers (RFC 9110, section 5.1: a token).
func readHeaders(text string) ([]string, error) {
	names, err := setting.List(text)
	for _, name := range names {
		if name == "*" || strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r) }) {
			err = errors.New("no pattern")
		}
	}
	if err != nil {
		return nil, errors.New("write the names of headers, such as [Authorization, Content-Type]")
	}
	return names, nil
}

// readMaxAge reads a duration; 0s is -1, since 0 means the default.
func readMaxAge(text string) (time.Duration, error) {
	d, err := setting.Duration(text)
	if err == nil && d < time.Second {
		return -1, nil
	}
	return d, err
}
