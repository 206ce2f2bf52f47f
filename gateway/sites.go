package gateway

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade"
)

// sites refuses what pages of other sites have their visitor's browser send: one
// check before every surface, whatever the method and the body. A page of another
// site could not read the answer, but a request alone carries cookies, writes and
// costs. It passes where cors.origins names the page's origin. Programs are no
// browsers: they send neither header and are not concerned (decision 212).
type sites struct {
	dev   bool // identity.dev: whoever calls can claim to be anyone
	hosts hosts
	page  func(*http.Request) bool // says whether the answer is a page, which links may lead to; nil: it never is
}

// guard stands between [CORS.wrap], which has answered preflights and marked answers
// that the origin may read, and a handler. fail writes the refusal.
func (s sites) guard(next http.Handler, fail failing) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.refuse(w.Header(), r); err != nil {
			fail(w, r, http.StatusForbidden, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s sites) refuse(answer http.Header, r *http.Request) *facade.Error {
	origin := r.Header.Get("Origin")
	if s.dev && origin != "" && !s.hosts.ownOrigin(origin) {
		return facade.Errorf(facade.Forbidden, "dev identity lets the caller be anyone, so pages of this machine alone may call; open the page at localhost, or name its host in the setting hosts")
	}
	switch {
	case !otherSite(r, origin), answer.Get("Access-Control-Allow-Origin") != "", s.page != nil && navigates(r) && s.page(r):
		return nil
	}
	return facade.Errorf(facade.Forbidden, "a page of another site sent this; name the site in cors.origins")
}

// otherSite says whether a page of another site sent the request. Browsers say so
// themselves; those that do not, or not over plain HTTP, may still name the origin,
// which is then another site where it is not the host that was asked.
func otherSite(r *http.Request, origin string) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin", "none":
		return false
	case "":
		if origin == "" {
			return false
		}
		u, err := url.Parse(origin)
		return err != nil || u.Host == "" || !strings.EqualFold(withoutDefaultPort(u.Scheme, u.Host), withoutDefaultPort(u.Scheme, r.Host))
	}
	return true
}

// withoutDefaultPort is a host as browsers write it, who leave the scheme's port out.
func withoutDefaultPort(scheme, host string) string {
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return host
}

// navigates says whether a whole tab goes there: a link in a mail, an address typed.
func navigates(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && (dest == "document" || dest == "")
}
