package gateway

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

// accepted is the type to answer in: the one Accept prefers, "" where it takes
// none of ours. Without Accept, and where it takes anything, that is
// application/json, which every client reads. The page, where there is one, is given
// only to a GET that asks for one by name and likes nothing of ours better: a browser.
func accepted(r *http.Request, page bool) string {
	sent := r.Header["Accept"]
	if len(sent) == 1 && r.Method == http.MethodPost { // nearly every request there is
		switch sent[0] {
		case mediaResponse, mediaJSON:
			return sent[0]
		case "*/*":
			return mediaJSON
		}
	}
	ranges := acceptRanges(strings.Join(sent, ","))
	if len(ranges) == 0 { // none, or nothing that can be read
		return mediaJSON
	}
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

func acceptRanges(header string) []acceptRange {
	var ranges []acceptRange
	for part := range strings.SplitSeq(header, ",") {
		media, params, err := mime.ParseMediaType(part)
		if err != nil {
			continue // what cannot be read cannot be preferred
		}
		q := 1.0
		if text, ok := params["q"]; ok {
			if q, err = strconv.ParseFloat(text, 64); err != nil || q < 0 || q > 1 {
				continue
			}
		}
		if c, ok := params["charset"]; ok && !strings.EqualFold(c, "utf-8") {
			q = 0 // there is no other here
		}
		ranges = append(ranges, acceptRange{media, q})
	}
	return ranges
}

// weight is how much a type is liked: by its q, then by how closely it was named,
// then by its place in the header.
type weight struct {
	q     float64
	close int // 0: */*, 1: type/*, 2: by name
	place int
}

func (w weight) better(than weight) bool {
	switch {
	case w.q != than.q:
		return w.q > than.q
	case w.close != than.close:
		return w.close > than.close
	}
	return w.close == 2 && w.place < than.place
}

// weigh is the weight the closest range gives a type. A page is taken by name alone.
func weigh(offer string, ranges []acceptRange) weight {
	best := weight{close: -1}
	major, _, _ := strings.Cut(offer, "/")
	for i, r := range ranges {
		near := -1
		switch {
		case r.media == offer:
			near = 2
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
