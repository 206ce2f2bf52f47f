package call

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"unicode"

	"github.com/frondhost/frond/facade/access"
	"github.com/frondhost/frond/schema/jsontext"
)

// ReadState parses --state, a JSON object; "" is nil, an anonymous caller. A null is an error,
// since "" means that already.
func ReadState(text string) (access.State, error) {
	if text == "" {
		return nil, nil
	}
	var state access.State
	if jsontext.Check([]byte(text)) != nil || json.Unmarshal([]byte(text), &state) != nil || state == nil {
		return nil, fmt.Errorf(`--state is not a JSON object; write such as '{"user":{"id":"ada"}}'`)
	}
	return state, nil
}

// ReadHeaders parses --header flags: "Name: value". A name may be given twice. Control
// characters are refused: they could end the header.
func ReadHeaders(flags []string) (http.Header, error) {
	headers := http.Header{}
	for _, flag := range flags {
		name, value, ok := strings.Cut(flag, ":")
		if !ok || !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			// The flag is not shown: there may be a credential in it.
			return nil, errors.New(`a --header is not a header; write a name, a colon and a value: --header "Authorization: Bearer …"`)
		}
		headers.Add(name, strings.TrimSpace(value))
	}
	return headers, nil
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$") // RFC 9110, section 5.1
