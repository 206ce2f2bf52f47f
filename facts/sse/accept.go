package sse

import (
	"strconv"
	"strings"
)

// Accepts reports whether the lines of a request's Accept allow a stream, and whether they
// prefer it. A client that prefers it wants one even if the answer has other forms; one that
// sends */* or an empty Accept takes any form. Of types with equal weights the first one is
// preferred: urql sends every query with text/event-stream after the types of JSON.
//
//	text/event-stream                        yes, preferred
//	text/event-stream, application/json      yes, preferred
//	application/json, text/event-stream      yes, not preferred
//	*/*, text/*, no header                   yes, not preferred
//	text/event-stream;q=0, */*               no
func Accepts(lines []string) (accepted, preferred bool) {
	stream, text, all, other, first := -1.0, -1.0, -1.0, 0.0, false
	for _, line := range lines {
		for part := range strings.SplitSeq(line, ",") {
			media, params, _ := strings.Cut(part, ";")
			weight := Weight(params)
			switch media = strings.ToLower(strings.TrimSpace(media)); media {
			case "":
			case MediaType:
				stream, first = max(stream, weight), first || other < weight
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
		return stream > 0, stream > 0 && (stream > other || stream == other && first)
	case text >= 0:
		return text > 0, false
	case all >= 0:
		return all > 0, false
	}
	return len(lines) == 0, false
}

// Weight is the parameter q of an element of an Accept header, or of one like it: 1 without
// one, 0 if it is malformed.
func Weight(params string) float64 {
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
