package client

import (
	"encoding/json"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// How many posts of one call are in flight at once.
const (
	parallelPosts  = 4 // batches and findByIds
	parallelSingle = 16
)

// eachCall is a call for many keys to a host. keys holds the results, however they were
// requested.
type eachCall struct {
	host   *host
	p      *pending
	query  json.RawMessage // as the host accepts it
	method string
	keys   keySet
	// through is Each's relation through rows in between; nil: Each's field holds the key.
	through *schema.Link
}

// newEachCall prepares the keys of a call with Each; query is the call's as the host accepts
// it.
func newEachCall(h *host, p *pending, query json.RawMessage) *eachCall {
	var field *schema.Property
	if e := p.entity(); e != nil {
		field = e.Property(p.call.Each.Field)
	}
	c := &eachCall{host: h, p: p, query: query, method: p.name(&h.known, p.call.Operation)}
	if field != nil && field.Link != nil && field.Link.Through != nil {
		c.through, field = field.Link, field.Link.Target.Primary
	}
	c.keys.reset(p.call.Each.Keys, field)
	return c
}

// forKey is params and query of the single call for one key.
//
//	findById    {"id":"p1"}                          and the query
//	list        {"filter":{"orderId":{"eq":"o1"}}}   beside the call's own conditions
//	            {"filter":{"products":{"some":{"id":{"eq":"p1"}}}}}   through rows in between
func (c *eachCall) forKey(key json.RawMessage) (params, query json.RawMessage) {
	if c.p.call.Operation != "list" {
		return jsontext.With(c.p.call.Invocation.Params, "id", key), c.query
	}
	equal := append(append([]byte(`{"eq":`), key...), '}')
	if c.through != nil {
		equal = jsontext.With(nil, "some", jsontext.With(nil, c.through.Target.Primary.Name, equal))
	}
	own := jsontext.Get(c.query, "filter")
	filter := jsontext.With(own, c.filterKey(), equal)
	if jsontext.Get(own, c.filterKey()) != nil { // the façade leaves no condition on the key
		filter = append(append(append(append([]byte(`{"and":[`), own...), ','), jsontext.With(nil, c.filterKey(), equal)...), "]}"...)
	}
	return c.p.call.Invocation.Params, jsontext.With(c.query, "filter", filter)
}

// filterKey is the name of Each's field in a filter: a relation has a key name.
func (c *eachCall) filterKey() string {
	field := c.p.call.Each.Field
	if e := c.p.entity(); e != nil {
		if p := e.Property(field); p != nil && p.Link != nil {
			return p.Link.Key
		}
	}
	return field
}
