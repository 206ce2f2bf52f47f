package gateway

import (
	"net/http"
	"net/url"

	"github.com/frondhost/frond/facade"
)

// askedBefore are headers that no page can send to another site before its browser
// has asked that site: that they are there proves that somebody was asked.
var askedBefore = []string{"Authorization", "Apollo-Require-Preflight", "GraphQL-Require-Preflight", "X-Apollo-Operation-Name", "X-Requested-With"}

// forged refuses a GET that a page of another site has its visitor's browser send: an
// image, a script, a frame, a link, a form, or a fetch. It could not read the answer,
// so it would only be sent for how long it takes or what it costs. It passes where
// cors.origins lets that site read, which answer then says already, and where a
// header shows that the browser has asked first. Programs are no browsers and pass.
func forged(answer http.Header, r *http.Request) *refusal {
	if !elsewhere(r) || answer.Get("Access-Control-Allow-Origin") != "" || isJSON(r.Header.Get("Content-Type")) {
		return nil
	}
	for _, name := range askedBefore {
		if r.Header.Get(name) != "" {
			return nil
		}
	}
	return &refusal{
		status: http.StatusForbidden, code: facade.Forbidden,
		text: "a page of another site sent this; name the site in cors.origins, or send it as a POST with Content-Type: application/json",
	}
}

// elsewhere says whether a page of another site sent the request. Browsers say so by
// themselves; those that do not, or not over plain HTTP, may still name the origin.
func elsewhere(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		origin := r.Header.Get("Origin")
		if origin == "" {
			return false
		}
		u, err := url.Parse(origin)
		return err != nil || u.Host != r.Host
	}
	return true
}
