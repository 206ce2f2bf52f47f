package sse

import (
	"strconv"
	"strings"
)

// Accepts reports whether the lines of a request's Accept take a stream, and whether they name
// it. A client that names it wants one even where there are other forms of the answer; one
// that sends */* or nothing takes what there is.
//
//	text/event-stream                        yes, named
//	text/event-stream;q=0, */*               no
//	application/json, text/event-stream      yes; named, unless JSON has the greater weight
//	*/*, text/*, no header                   yes, not named
func Accepts(lines []string) (accepted, named bool) {
	stream, text, all, other := -1.0, -1.0, -1.0, 0.0
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			media, params, _ := strings.Cut(part, ";")
			weight := weightOf(params)
			switch media = strings.ToLower(strings.TrimSpace(media)); media {
			case "":
			case MediaType:
				stream = max(stream, weight)
			case "text/*":
				text = max(text, weight)
			case "*/*":
				all = max(all, weight)
			default:
				other = max(other, weight)
			}
		}
	}
	switch {
	case stream >= 0:
		return stream > 0, stream > 0 && stream >= other
	case text >= 0:
		return text > 0, false
	case all >= 0:
		return all > 0, false
	}
	return len(lines) == 0, false
}

// weightOf is the parameter q of a media range: 1 without one, 0 where it is malformed.
func weightOf(params string) float64 {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			if err != nil || !(q >= 0 && q <= 1) {
				return 0
			}
			return q
		}
	}
	return 1
}
