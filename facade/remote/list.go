package remote

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/filter"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// List implements [facade.Remotes]. A list that no row can meet is not sent.
func (h *Hosts) List(ctx context.Context, r facade.RemoteRequest, c *facade.Call, l facade.RemoteList) (*facade.Result, error) {
	caller, err := h.caller(r, r.Door.Frond)
	if err != nil {
		return nil, err
	}
	if l.Rules != nil || l.Each != nil {
		if err := filtered(r.Door, l.Rules); err != nil {
			return nil, err
		}
	}
	f, err := h.hostFilter(ctx, &r, filter.Both(l.Rules, l.Filter))
	if err != nil {
		return nil, err
	}
	c.Invocation.State = r.State
	var places []int
	if l.Each != nil {
		c.Each = &facade.Each{Field: l.Each.Name}
		c.Each.Keys, places, f = decided(l.Each, l.Keys, f)
	}
	if f.Never() || l.Each != nil && len(places) == 0 {
		return noRows(l), nil
	}
	if c.Invocation.Query, err = query(l, f); err != nil {
		return nil, err
	}
	res, err := caller.Call(ctx, c)
	if err == nil && len(places) < len(l.Keys) {
		all := *res
		all.Groups = inPlaces(res.Groups, places, len(l.Keys))
		res = &all
	}
	return res, err
}

// noRows is the page, or the page for every key of a batch, of a list that no row meets.
func noRows(l facade.RemoteList) *facade.Result {
	res := &facade.Result{Form: facade.FormPage, Rows: rows.New(l.Layout, 0)}
	if !l.Count {
		res.Page.Total = -1
	}
	if l.Each != nil {
		res.Groups = slices.Repeat([]facade.Group{{Page: res.Page}}, len(l.Keys))
	}
	return res
}

// query is the query of a list with a filter for its host. It has the limit of this host, since
// the other one's may differ.
func query(l facade.RemoteList, f *filter.Filter) (json.RawMessage, error) {
	out, where, err := inSentWords(l, f)
	if err != nil {
		return nil, err
	}
	for name, value := range jsontext.Members(l.Query) {
		switch {
		case jsontext.IsNull(value), name == "filter", name == "limit", name == "fields", name == "count":
		case l.Op.Takes(name), l.Op.Passes(name) && jsontext.Get(l.Sent, "page") == nil:
			if name == "sort" {
				value = sortIn(l.Op.SortForm, value)
			}
			out = append(out, schema.Member{Name: name, Value: value})
		}
	}
	if jsontext.Get(l.Query, "count") != nil {
		if name, value := count(l); name != "" {
			out = append(out, schema.Member{Name: name, Value: json.RawMessage(value)})
		}
	}
	if l.Cursors && l.Op.Takes("cursors") {
		out = append(out, schema.Member{Name: "cursors", Value: json.RawMessage("true")})
	}
	if f != nil && !where {
		out = append(out, schema.Member{Name: "filter", Value: f.AppendJSON(nil)})
	}
	return schema.Object(append(out, schema.Member{Name: "limit", Value: strconv.AppendInt(nil, int64(l.Limit), 10)})).AppendJSON(nil), nil
}

// sortIn returns the names of a sort in the form that the card of a host's list states: "-createdAt,title", ["-createdAt", "title"], or as
// the caller sent them.
func sortIn(form string, sort json.RawMessage) json.RawMessage {
	if form == "" {
		return sort
	}
	var names []string
	if jsontext.KindOf(sort) == jsontext.Array {
		for _, name := range jsontext.Elements(sort) {
			names = append(names, jsontext.Unquote(name))
		}
	} else {
		for name := range strings.SplitSeq(jsontext.Unquote(sort), ",") {
			names = append(names, strings.TrimSpace(name))
		}
	}
	if form == "array" {
		return jsontext.AppendStrings(nil, names)
	}
	return jsontext.Quote(strings.Join(names, ","))
}

// inSentWords are the members of a list's query that the host takes in the consumer's words, and
// whether where is among them, which has the filter:
//
//	{"where": {"status": "open"}, "orderBy": "createdAt", "order": "desc", "page": 2}
func inSentWords(l facade.RemoteList, f *filter.Filter) (out schema.Object, where bool, err error) {
	for name, value := range jsontext.Members(l.Sent) {
		switch {
		case jsontext.IsNull(value), !l.Op.AnswersIn(name) && (name != "order" || !l.Op.AnswersIn("orderBy")):
			continue
		case name == "where":
			if value, where = f.AppendEqualities(nil); !where {
				return nil, false, kiterror.Errorf(kiterror.NotImplemented, "remote %s.list takes no filter; where takes equal values alone", l.Op.Door.Name)
			}
		case name == "orderBy":
			sort := jsontext.Unquote(sortIn("string", jsontext.Get(l.Query, "sort")))
			value = jsontext.Quote(strings.TrimPrefix(sort, "-"))
		}
		out = append(out, schema.Member{Name: name, Value: value})
	}
	return out, where, nil
}

// count is query.count in the words of the host: a host that takes total beside it knows all of
// them, another one true and false. The name is "" if no count is sent.
func count(l facade.RemoteList) (name, value string) {
	switch total := l.Op.Takes("total"); {
	case !l.Count && total:
		return "total", "false"
	case !l.Op.Takes("count"):
	case !l.Count:
		return "count", "false"
	case l.Estimate && total:
		return "count", `"estimated"`
	case !total:
		return "count", "true"
	}
	return "", ""
}
