package graphqlhttp

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// The media types of GraphQL over HTTP, and the page for browsers.
const (
	mediaResponse = "application/graphql-response+json"
	mediaJSON     = "application/json"
	mediaHTML     = "text/html"
)

// contentTypes are the values of Content-Type by media type.
var contentTypes = map[string][]string{
	mediaResponse: {mediaResponse + "; charset=utf-8"},
	mediaJSON:     {mediaJSON + "; charset=utf-8"},
}

// accepted is the media type to answer in: the one that Accept prefers; "" if it accepts none
// of ours. Without Accept, and for */*, it is application/json, which every client reads. A
// page, if there is one, answers only a GET that names text/html and prefers no other type of
// ours: a browser's.
//
//	Accept                                                     answer
//	absent, or */*                                             application/json
//	application/graphql-response+json, application/json;q=0.9  application/graphql-response+json
//	text/html,application/xhtml+xml,*/*;q=0.8 of a GET         the page, if there is one
//	image/png                                                  "", which is 406
func accepted(r *http.Request, page bool) string {
	sent := r.Header["Accept"]
	if len(sent) == 1 && r.Method == http.MethodPost { // the common case, without parsing
		switch sent[0] {
		case mediaResponse, mediaJSON:
			return sent[0]
		case "*/*":
			return mediaJSON
		}
	}
	ranges := acceptRanges(strings.Join(sent, ","))
	if len(ranges) == 0 { // no Accept, or an invalid one
		return mediaJSON
	}
	// The order of offers decides where weights are equal: application/json first.
	offers := []string{mediaJSON, mediaResponse}
	if page && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		offers = append(offers, mediaHTML)
	}
	best, at := "", weight{}
	for _, offer := range offers {
		if w := weigh(offer, ranges); w.q > 0 && (best == "" || w.better(at)) {
			best, at = offer, w
		}
	}
	return best
}

// acceptRange is one range of an Accept header (RFC 9110, 12.5.1).
type acceptRange struct {
	media string
	q     float64
}

// acceptRanges reads an Accept header. Parameters other than q and charset are ignored: our
// types do not have any.
func acceptRanges(header string) []acceptRange {
	var ranges []acceptRange
	for part := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue // an invalid range is ignored
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil || q < 0 || q > 1 {
				continue
			}
		}
		if c, ok := params["charset"]; ok && !strings.EqualFold(c, "utf-8") {
			q = 0 // answers are UTF-8 alone
		}
		ranges = append(ranges, acceptRange{media, q})
	}
	return ranges
}

// weight is the preference for a media type: its q, then how closely it is named, then its
// place in the header.
type weight struct {
	q     float64
	close int // 0: */*, 1: type/*, 2: by name
	place int
}

// better reports whether w is preferred to than. Places count only between named types: a
// client lists these in its order, and */* has no place in it.
func (w weight) better(than weight) bool {
	switch {
	case w.q != than.q:
		return w.q > than.q
	case w.close != than.close:
		return w.close > than.close
	}
	return w.close == 2 && w.place < than.place
}

// weigh is the weight that the closest range gives a type. A page has to be named. The closest
// range counts, even if its q is lower: RFC 9110, section 12.5.1.
func weigh(offer string, ranges []acceptRange) weight {
	best := weight{close: -1}
	major, _, _ := strings.Cut(offer, "/")
	for i, r := range ranges {
		near := -1
		switch {
		case r.media == offer:
			near = 2
		// A client that sends */* is a program more often than a browser.
		case offer == mediaHTML:
		case r.media == major+"/*":
			near = 1
		case r.media == "*/*":
			near = 0
		}
		if near > best.close {
			best = weight{r.q, near, i}
		}
	}
	return best
}

// AcceptsPage reports whether a GET or HEAD names text/html, as browsers do. It is for paths
// that have a page and no data; where both are at one path, [Handler.IsPage] decides.
func AcceptsPage(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	return weigh(mediaHTML, acceptRanges(strings.Join(r.Header.Values("Accept"), ","))).q > 0
}
