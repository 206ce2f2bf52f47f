package soak

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// codes are those that a failing host may come to (docs/remotes.md), and the code of
// each on REST.
var codes = map[string]int{"SERVICE_UNAVAILABLE": 503, "GATEWAY_TIMEOUT": 504, "BAD_GATEWAY": 502, "TOO_MANY_REQUESTS": 429}

// row is a note or a writer as an answer has it.
type row struct {
	ID, Title, Name, WriterID, Sum string
	Pages                          int
	Writer                         *row
}

func (r *row) whole() bool {
	if r.Name != "" {
		return r.Sum == sumOf(r.ID, r.Name)
	}
	return r.Sum == sumOf(r.ID, r.Title, fmt.Sprint(r.Pages), r.WriterID)
}

// answered is an answer of any surface, taken apart.
type answered struct {
	Status int // of HTTP
	Rows   []*row
	Codes  []string // of the errors
	Text   string
}

// wrong says what is wrong with an answer to a request for these ids, in their order,
// with their writers or without; "" where nothing is.
func wrong(a *answered, ids []string, writers bool) string {
	for _, code := range a.Codes {
		if codes[code] == 0 {
			return "an error of the code " + code
		}
	}
	if len(a.Codes) == 0 && len(a.Rows) != len(ids) {
		return fmt.Sprintf("%d rows for %d, and no error", len(a.Rows), len(ids))
	}
	if len(a.Rows) > len(ids) {
		return fmt.Sprintf("%d rows for %d", len(a.Rows), len(ids))
	}
	for i, r := range a.Rows {
		switch {
		case r.ID != ids[i]:
			return fmt.Sprintf("the row of %s for %s", r.ID, ids[i])
		case !r.whole():
			return "a row that is not whole: " + r.ID
		case !writers:
		case r.Writer == nil && len(a.Codes) == 0:
			return "no writer, and no error"
		case r.Writer == nil:
		case r.Writer.ID != r.WriterID || r.Writer.Name == "":
			return fmt.Sprintf("the writer %s for %s", r.Writer.ID, r.WriterID)
		case !r.Writer.whole():
			return "a writer that is not whole: " + r.Writer.ID
		}
	}
	return ""
}

// read takes an answer apart; the error is that it cannot be.
func read(kind string, status int, text []byte) (*answered, error) {
	a := &answered{Status: status, Text: string(text[:min(len(text), 500)])}
	var body struct {
		Data *struct {
			Notes            *struct{ Items []*row }
			Note, UpdateNote *row
		}
		Errors []struct{ Extensions struct{ Code string } }
		Items  []*row
		Result *row
		Error  *struct{ Data struct{ Code string } }
		row
	}
	var problem struct{ Data struct{ Code string } }
	switch {
	case kind == "rest" && status >= 400:
		if err := json.Unmarshal(text, &problem); err != nil {
			return a, err
		}
		if a.Codes = []string{problem.Data.Code}; codes[problem.Data.Code] != status {
			return a, fmt.Errorf("%s with status %d", problem.Data.Code, status)
		}
		return a, nil
	case status != 200:
		return a, fmt.Errorf("status %d", status)
	}
	if err := json.Unmarshal(text, &body); err != nil {
		return a, err
	}
	for _, e := range body.Errors {
		a.Codes = append(a.Codes, e.Extensions.Code)
	}
	if body.Error != nil {
		a.Codes = append(a.Codes, body.Error.Data.Code)
	}
	if d := body.Data; d != nil {
		if d.Notes != nil {
			a.Rows = d.Notes.Items
		}
		a.Rows = append(a.Rows, d.Note, d.UpdateNote)
	}
	a.Rows = append(append(a.Rows, body.Items...), body.Result)
	if kind == "rest" && body.ID != "" {
		a.Rows = append(a.Rows, &body.row)
	}
	a.Rows = slices.DeleteFunc(a.Rows, func(r *row) bool { return r == nil })
	return a, nil
}

// TestWrong: a judge that finds nothing would pass any soak.
func TestWrong(t *testing.T) {
	desk, people := &host{kind: "note", pages: map[string]int{}}, &host{kind: "writer"}
	note := strings.TrimSuffix(desk.row("n1"), "}") + `,"writer":` + people.row("w11") + "}"
	page := func(note string) string { return `{"data":{"notes":{"items":[` + note + `]}}}` }
	for name, c := range map[string]struct {
		text string
		want string
	}{
		"as it should be":              {page(note), ""},
		"nothing, and why":             {`{"data":null,"errors":[{"extensions":{"code":"SERVICE_UNAVAILABLE"}}]}`, ""},
		"nothing":                      {`{"data":null}`, "0 rows"},
		"an error of no code":          {`{"data":null,"errors":[{"extensions":{}}]}`, "an error"},
		"an error of ours":             {`{"data":null,"errors":[{"extensions":{"code":"INTERNAL_ERROR"}}]}`, "an error"},
		"another row":                  {page(strings.TrimSuffix(desk.row("n2"), "}") + `,"writer":` + people.row("w12") + "}"), "the row of n2"},
		"a field of another row":       {page(strings.Replace(note, `"pages":1`, `"pages":2`, 1)), "not whole"},
		"another's writer":             {page(strings.Replace(note, people.row("w11"), people.row("w12"), 1)), "the writer w12"},
		"a field of another's writer":  {page(strings.Replace(note, "Writer 11", "Writer 12", 1)), "a writer that is not whole"},
		"no writer, and nobody says":   {page(strings.Replace(note, people.row("w11"), "null", 1)), "no writer"},
		"no writer, and it is said":    {`{"data":{"notes":{"items":[` + strings.Replace(note, people.row("w11"), "null", 1) + `]}},"errors":[{"extensions":{"code":"BAD_GATEWAY"}}]}`, ""},
		"one row too many, and errors": {`{"data":{"notes":{"items":[` + note + "," + note + `]}},"errors":[{"extensions":{"code":"BAD_GATEWAY"}}]}`, "2 rows"},
	} {
		a, err := read("graphql", 200, []byte(c.text))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := wrong(a, []string{"n1"}, true); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if _, err := read("rest", 500, []byte(`{"data":{"code":"BAD_GATEWAY"}}`)); err == nil {
		t.Error("a code with the status of another went unnoticed")
	}
}
