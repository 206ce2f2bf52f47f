package rest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/consistency"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema/jsontext"
)

// The status of a result:
//
//	delete of a row                         204
//	delete without a row                    404
//	a query with cardinality maybe, null    404 (docs/decisions/errors.md)
//	create, upsert of a new row             201, Location
//	createMany                              201
//	If-None-Match has the tag               304
//	a rehearsal                             200
//	anything else                           200, also a command that answers null

// Header values, allocated once for all answers.
var (
	typeJSON    = []string{mediaJSON}
	typeProblem = []string{"application/problem+json"}
	// An answer depends on the caller: only a private cache may keep it, and has to revalidate.
	cacheControl = []string{"private, no-cache"}
	vary         = []string{"Accept, Authorization, Cookie, Prefer"}
)

// maxHeader is the limit in bytes of a header that contains a key or a cursor: clients and
// proxies give up at 8 KiB for all headers, some earlier. A longer one is omitted; the
// body has the same information.
const maxHeader = 4 << 10

// write answers with the result of the call: status, headers, then the body in one piece
// with its length. It returns an error only before anything was sent.
func (x *exchange) write(result *facade.Result) error {
	header := x.w.Header()
	status := http.StatusOK
	query := x.op.Kind == catalog.Query
	switch {
	case result.Rehearsed:
	case x.op.Name == "delete" && x.onItem():
		if result.Form == facade.FormValue && jsontext.KindOf(result.Value) == jsontext.False {
			return x.nothing()
		}
		x.send(http.StatusNoContent, nil)
		return nil
	case query && x.op.Cardinality == catalog.Maybe && isNothing(result):
		return x.nothing()
	case x.op.Name == "create" && x.r.Method == http.MethodPost, x.op.IsMany() && (result.Form == facade.FormItems || result.Created):
		status = http.StatusCreated
		if at := x.location(result); at != "" && len(at) <= maxHeader {
			header.Set("Location", at)
		}
	}
	if query {
		header["Cache-Control"], header["Vary"] = cacheControl, vary
	}
	if tag := x.tag(result); tag != "" {
		x.texts[0] = tag
		header["Etag"] = x.texts[:1:1]
		if done, err := x.conditional(tag); done || err != nil {
			return err
		}
	}
	if result.Form == facade.FormPage || result.Form == facade.FormGroups {
		if next := x.next(&result.Page); next != "" && len(next) <= maxHeader {
			header.Set("Link", next)
		}
		if result.Page.Position != 0 {
			header.Set(facade.PositionHeader, result.Page.Position.String())
		}
	}
	if x.applied != "" {
		header.Set("Preference-Applied", x.applied)
	}
	header["Content-Type"] = typeJSON
	if size := result.Size(); !query {
		x.account.Add(size) // the command is committed: its answer is never refused
	} else if err := x.account.Reserve(size); err != nil {
		return err
	}
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	buf.Text = result.AppendJSON(buf.Text)
	x.account.Keep(len(buf.Text)) // the text takes the place of the rows
	x.send(status, buf.Text)
	return nil
}

// send sends the status, the headers and a body; nil means no body. It ends the request's
// execution in the budget, whose slot is not held while a slow client reads. HEAD has the
// Content-Length of the GET (RFC 9110 section 9.3.2).
func (x *exchange) send(status int, body []byte) {
	x.wrote = true
	x.account.End()
	x.deprecate()
	if body != nil {
		x.texts[1] = strconv.Itoa(len(body))
		x.w.Header()["Content-Length"] = x.texts[1:]
	}
	x.w.WriteHeader(status)
	if body != nil && x.r.Method != http.MethodHead {
		_, _ = x.w.Write(body) // a client that closed the connection needs no answer
	}
}

// onItem reports whether the path leads to one row: /{plural}/{id}.
func (x *exchange) onItem() bool { return x.match.row == x.match.resource.item }

// isNothing reports whether the result is null or has no row.
func isNothing(r *facade.Result) bool {
	switch r.Form {
	case facade.FormRow:
		return r.Rows.Len() == 0
	case facade.FormValue:
		return jsontext.IsNull(r.Value)
	}
	return false
}

// nothing returns NOT_FOUND for a path without a row.
func (x *exchange) nothing() *kiterror.Error {
	err := kiterror.Errorf(kiterror.NotFound, "there is no %s like this", x.op.Door.Name)
	if x.match.hasID {
		err = kiterror.Errorf(kiterror.NotFound, "there is no %s with this id", x.op.Door.Name)
	}
	return err.At(x.op.Door.Name, x.op.Name)
}

// location returns the path of the created row, or "" where a GET of it would not give
// the row: no id in the answer, no findById, or an id whose path is another's (an empty id,
// dots that clients resolve, the name of an operation: spec 4.2.1).
func (x *exchange) location(r *facade.Result) string {
	door, item := x.op.Door, x.match.resource.item
	if r.Form != facade.FormRow && r.Form != facade.FormUpsert || r.Rows.Len() == 0 || door.Entity == nil || door.Entity.Primary == nil ||
		item == nil || item.operation(http.MethodGet) == nil {
		return ""
	}
	id := r.Rows.Row(0).Get(door.Entity.Primary.Name)
	switch jsontext.KindOf(id) {
	case jsontext.String:
		id := jsontext.Unquote(id)
		if id == "" || id == "." || id == ".." || x.match.resource.named[id] != nil {
			return ""
		}
		return x.match.resource.path + "/" + url.PathEscape(id)
	case jsontext.Number:
		return x.match.resource.path + "/" + string(id)
	}
	return ""
}

// next returns the Link to the next page (RFC 8288), or "" at the end: the URL of the
// request with after set to the last row's cursor, and without offset.
func (x *exchange) next(p *facade.Page) string {
	cursor := p.EndCursor()
	if !p.HasMore || cursor == "" {
		return ""
	}
	var b strings.Builder
	after, before, backward := false, false, ""
	b.WriteString("<" + x.r.URL.EscapedPath() + "?")
	for pair := range strings.SplitSeq(x.r.URL.RawQuery, "&") {
		name, value, _ := strings.Cut(pair, "=")
		name, _ = url.QueryUnescape(name)
		value, _ = url.QueryUnescape(value)
		switch name {
		case "after":
			after = true
			continue
		case "", "offset":
			continue
		case "before":
			before = true
		case "backward":
			backward = value
		}
		b.WriteString(url.QueryEscape(name) + "=" + url.QueryEscape(value) + "&")
	}
	// backward has precedence. Without it a request that has before alone reads backward, one
	// that has both reads forward.
	if backward == "true" || backward == "" && before && !after {
		return "" // the page is the end of a range; its next rows are before it
	}
	b.WriteString("after=" + url.QueryEscape(cursor) + `>; rel="next"`)
	return b.String()
}

// prefer applies the preferences of a list (RFC 7240; docs/decisions/filters-and-paging.md):
// count=exact, estimated or none if the operation counts, and position, for which the page is
// read from the store itself so that its [facade.PositionHeader] is exact. Parameters of the
// URL about the total take precedence, and an unknown preference is ignored, as RFC 7240 asks.
// The first known count decides.
func (x *exchange) prefer(a *arguments) {
	var applied []string
	counts := x.op.Query != nil && x.op.Query.Property("total") != nil && !a.has("total") && !a.has("count")
	for _, line := range x.r.Header["Prefer"] {
		for p := range strings.SplitSeq(line, ",") {
			p, _, _ = strings.Cut(p, ";")
			name, value, _ := strings.Cut(p, "=")
			switch word := strings.Trim(value, "\" \t"); strings.ToLower(strings.TrimSpace(name)) {
			case "position":
				if x.op.Cardinality == catalog.PageOf {
					x.ctx, applied = consistency.Latest(x.ctx), append(applied, "position")
				}
			case "count":
				if counts && x.preferCount(a, word) {
					counts, applied = false, append(applied, "count="+word)
				}
			}
		}
	}
	x.applied = strings.Join(applied, ", ")
}

// preferCount applies a way to count, and reports whether it is understood.
func (x *exchange) preferCount(a *arguments, word string) bool {
	switch {
	case word == "none":
		a.query.set("total", []byte("false"))
	case word == "estimated" && x.op.Query.Property("count") != nil:
		a.query.set("count", []byte(`"estimated"`))
	case word != "exact": // the default
		return false
	}
	return true
}

// deprecate adds the headers that a client of an old name needs, to any response:
//
//	Deprecation: @1795305600                                       RFC 9745
//	Sunset: Tue, 01 Jun 2027 23:59:59 GMT                          RFC 8594
//	Link: </api/catalog/products/p1>; rel="successor-version"      RFC 5829
func (x *exchange) deprecate() {
	a := x.match.alias
	if a == nil {
		return
	}
	header := x.w.Header()
	header.Set("Deprecation", "@"+strconv.FormatInt(a.Since.Unix(), 10))
	header.Set("Sunset", a.Until.Format(http.TimeFormat))
	if to := x.successor(); len(to) <= maxHeader {
		header.Add("Link", "<"+to+`>; rel="successor-version"`)
	}
}

// successor is the path of the request under the door's own plural.
func (x *exchange) successor() string {
	rest := strings.TrimPrefix(x.r.URL.EscapedPath(), x.handler.table.base)
	for range 2 { // the Frond and the plural, which the match has found
		_, rest = cutSegment(rest)
	}
	return x.match.resource.path + rest
}
