package differential

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// answer is what of a response is compared.
type answer struct {
	body     string
	executed bool     // there is a member data
	unread   bool     // the document could not be parsed
	data     string   // in the order of the response, numbers by their value
	errors   []string // of each its path and its locations
	places   []string // all locations
	messages []string // for those who read a failure
	unplaced []string // the paths of errors whose locations are not compared
}

// read reads an answer to a query. Columns count characters; the reference counts
// UTF-16 units, of which there are two in an emoji.
func read(query, body string, reference bool) (*answer, error) {
	var r struct {
		Data   json.RawMessage
		Errors []struct {
			Message   string
			Path      []any
			Locations []struct{ Line, Column int }

			Extensions struct{ Code string }
		}
	}
	if err := json.Unmarshal([]byte(body), &r); err != nil {
		return nil, fmt.Errorf("%w: %s", err, body)
	}
	a := &answer{body: body, executed: r.Data != nil}
	if a.executed {
		data, err := normal(r.Data)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, body)
		}
		a.data = data
	}
	for _, e := range r.Errors {
		a.unread = a.unread || e.Extensions.Code == "GRAPHQL_PARSE_FAILED" || strings.HasPrefix(e.Message, "Syntax Error")
		var at []string
		for _, l := range e.Locations {
			if reference {
				l.Column = characters(query, l.Line, l.Column)
			}
			at = append(at, fmt.Sprintf("%d:%d", l.Line, l.Column))
		}
		a.places = append(a.places, at...)
		if strings.HasPrefix(e.Message, "Argument ") && len(e.Path) > 0 {
			// An argument that a variable spoils: the reference points at its value,
			// we at the field, as for everything else that a field runs into.
			a.unplaced = append(a.unplaced, encode(e.Path))
		}
		a.errors = append(a.errors, encode(e.Path)+" at "+strings.Join(at, " "))
		a.messages = append(a.messages, e.Message)
	}
	return a, nil
}

var lineEnd = regexp.MustCompile("\r\n|[\n\r]")

// characters is a column in UTF-16 units as a column in characters.
func characters(query string, line, column int) int {
	lines := lineEnd.Split(query, -1)
	if line < 1 || line > len(lines) {
		return column
	}
	units, n := 1, 1
	for _, r := range lines[line-1] {
		if units >= column {
			break
		}
		units += utf16.RuneLen(r)
		n++
	}
	return n + column - units
}

// normal writes JSON again: the order of members stays, spaces go, 1e3 is 1000.
func normal(text json.RawMessage) (string, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var b strings.Builder
	err := rewrite(dec, &b)
	return b.String(), err
}

func rewrite(dec *json.Decoder, b *strings.Builder) error {
	tok, err := dec.Token()
	if err != nil {
		return err
	}
	switch v := tok.(type) {
	case json.Delim:
		b.WriteRune(rune(v))
		for i := 0; dec.More(); i++ {
			if i > 0 {
				b.WriteByte(',')
			}
			if v == '{' {
				name, err := dec.Token()
				if err != nil {
					return err
				}
				b.WriteString(canonical(name) + ":")
			}
			if err := rewrite(dec, b); err != nil {
				return err
			}
		}
		end, err := dec.Token()
		if err != nil {
			return err
		}
		b.WriteRune(rune(end.(json.Delim)))
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return err
		}
		b.WriteString(strconv.FormatFloat(f, 'g', -1, 64))
	default:
		b.WriteString(canonical(v))
	}
	return nil
}

// differ says how two answers differ, or "".
func differ(ours, theirs *answer) string {
	switch {
	case ours.executed != theirs.executed && ours.executed:
		return "it was refused there and executed here"
	case ours.executed != theirs.executed:
		return "it was executed there and refused here"
	case !ours.executed:
		switch {
		case len(ours.places) == 0 || len(theirs.places) == 0 || meet(ours.places, theirs.places):
			return ""
		case ours.unread && theirs.unread: // where reading stopped is no matter of taste
			return "neither reads it, for other places"
		case ours.unread || meet(lines(ours.places), lines(theirs.places)):
			return ""
		}
		return "both refuse it, for other lines"
	case !sameData(ours.data, theirs.data):
		return "the data differ"
	case !slices.EqualFunc(ours.errors, theirs.errors, func(a, b string) bool {
		path, _, _ := strings.Cut(b, " at ")
		return a == b || slices.Contains(theirs.unplaced, path) && strings.HasPrefix(a, path+" at ")
	}):
		return "the errors differ"
	}
	return ""
}

// aCursor is how the reference writes a cursor; what is in one its host alone knows.
var aCursor = regexp.MustCompile(`"cursor"([^:]|$)`)

func sameData(ours, theirs string) bool {
	if ours == theirs || !aCursor.MatchString(theirs) {
		return ours == theirs
	}
	pattern := aCursor.ReplaceAllString(regexp.QuoteMeta(theirs), `"[\w-]+"$1`)
	return regexp.MustCompile("^" + pattern + "$").MatchString(ours)
}

// meet says whether two lists have anything in common.
func meet(a, b []string) bool {
	return slices.ContainsFunc(a, func(s string) bool { return slices.Contains(b, s) })
}

func lines(places []string) (list []string) {
	for _, p := range places {
		line, _, _ := strings.Cut(p, ":")
		list = append(list, line)
	}
	return list
}

// apart is where two answers come apart, for those who read a failure.
func apart(ours, theirs *answer) string {
	if ours.executed != theirs.executed {
		return fmt.Sprintf("ours %q, theirs %q", ours.messages, theirs.messages)
	}
	if ours.data != theirs.data {
		at := 0
		for at < len(ours.data) && at < len(theirs.data) && ours.data[at] == theirs.data[at] {
			at++
		}
		window := func(s string) string { return s[max(0, at-40):min(len(s), at+40)] }
		return fmt.Sprintf("data ours …%s… theirs …%s…", window(ours.data), window(theirs.data))
	}
	only := func(a, b *answer) string {
		out := ""
		for i, e := range a.errors {
			if !slices.Contains(b.errors, e) {
				out += fmt.Sprintf("\n    %s (%s)", e, a.messages[i])
			}
		}
		return out
	}
	return "errors only ours:" + only(ours, theirs) + "\n  only theirs:" + only(theirs, ours)
}
