package guard

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade/kiterror"
)

// CrossSite refuses requests that a page of another site has its visitor's browser
// send, with any method and body. Such a page could not read the answer, but
// the request alone carries cookies, writes and costs. A request passes where
// cors.origins names the page's origin. Programs that are no browsers send neither
// Origin nor Sec-Fetch-Site and pass (docs/decisions/http-guards.md). The zero value is the strict one.
type CrossSite struct {
	Dev   bool  // identity.dev: the caller can claim to be anyone, so only pages of this machine may call
	Hosts Hosts // with Dev: the names of this machine
	// Page reports whether a page answers a request, so that links of other sites may lead to
	// it; it may be nil.
	Page func(*http.Request) bool
	// Whole reports whether the URL of a request is its whole right, as the address of a file, so that the
	// visitor's credentials do not add to it. Pages of other sites may read it. Whole may be nil.
	Whole func(*http.Request) bool
}

// Guard is next after the check; fail writes a refusal, with status 403. It belongs behind a
// handler that has answered preflights and marked the answers that the origin may read.
func (s *CrossSite) Guard(next http.Handler, fail Fail) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.refuse(w.Header(), r); err != nil {
			fail(w, r, http.StatusForbidden, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refuse returns the error, for status 403, of a request that must not pass; nil: it passes. answer
// is the header that [readers.admit] has written before.
func (s *CrossSite) refuse(answer http.Header, r *http.Request) *kiterror.Error {
	origin := r.Header.Get("Origin")
	if s.Dev && origin != "" && !s.Hosts.ownOrigin(origin) {
		return kiterror.Errorf(kiterror.Forbidden, "dev identity lets the caller be anyone, so pages of this machine alone may call; open the page at localhost, or name its host in the setting hosts")
	}
	if mayBeForm(r, origin) {
		return kiterror.Errorf(kiterror.Forbidden, "a form of another site could have sent this; send the header X-Requested-With too")
	}
	switch {
	case !otherSite(r, origin), answer.Get("Access-Control-Allow-Origin") != "", s.Page != nil && navigates(r) && s.Page(r), s.Whole != nil && reads(r) && s.Whole(r):
		return nil
	}
	return kiterror.Errorf(kiterror.Forbidden, "a page of another site sent this; name the site in cors.origins")
}

// otherSite reports whether a page of another site sent the request. Sec-Fetch-Site says so;
// browsers that do not send it, or not over plain HTTP, may still send the origin, which is
// then compared with the host.
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

// mayBeForm reports whether a page of another site could have sent a request by a form, in a browser
// that names no site: such a form sends the visitor's cookies, a body of one of three types, and no
// header of its own.
func mayBeForm(r *http.Request, origin string) bool {
	if r.Method != http.MethodPost || origin != "" || r.Header.Get("Sec-Fetch-Site") != "" || r.Header.Get("Cookie") == "" || r.Header.Get("X-Requested-With") != "" {
		return false
	}
	media, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "application/x-www-form-urlencoded", "multipart/form-data", "text/plain":
		return true
	}
	return false
}

// withoutDefaultPort is a host as browsers write it: without the port of the scheme.
func withoutDefaultPort(scheme, host string) string {
	switch scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return host
}

// navigates reports whether a whole tab goes there, by a link in a mail for example.
// Frames and scripts do not.
func navigates(r *http.Request) bool {
	dest := r.Header.Get("Sec-Fetch-Dest")
	return reads(r) && r.Header.Get("Sec-Fetch-Mode") == "navigate" && (dest == "document" || dest == "")
}

// reads reports whether a request only reads.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }
