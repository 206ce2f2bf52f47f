// Package rest is the REST surface: /api/{frond}/{plural} (spec 4.2).
//
// [Derive] computes the routes of a catalog; no other code does (spec 4.2.2). A [Handler] finds
// the route of a request, reads the request into a call, passes the call to a [facade.Caller]
// and writes the result. It has no rules of its own: the façade decides about a call, as on
// every surface (spec 4.2.5). Sessions, CORS and compression are middleware of the gateway.
//
//	GET    /api/catalog/products                  product.list
//	POST   /api/catalog/products                  product.create      201 and Location
//	GET    /api/catalog/products/{id}             product.findById    404 without such a row
//	PATCH  /api/catalog/products/{id}             product.update      also PUT: both merge
//	DELETE /api/catalog/products/{id}             product.delete      204
//	GET    /api/catalog/products/by-slug          product.bySlug      a query
//	POST   /api/catalog/products/{id}/publish     product.publish     a command
//
// # Parameters
//
// A parameter goes to the part of the call (params, query, body) whose card declares it, and
// its text is converted to a number, a boolean or a list as the card says. A parameter is sent
// once, unless it is a list; a list is one parameter with commas, the parameter repeated, or a
// JSON array. A query has no body on this surface, so the members of its input are parameters
// too.
//
//	filter[price][gte]=10&filter[status]=draft    conditions; no operator means eq
//	filter[status][in]=draft,done                 a list
//	filter[author][name][startsWith]=A            through a relation
//	filter[or][0][price][lt]=5&filter[or][1]…     and, or: numbered; not: no number
//	filter={"price":{"gte":10}}                   the same as JSON; not both at once
//	sort=-createdAt,title  limit=20  after=…  before=…  offset=40  fields=id,title
//	after=…&before=…                              a range: limit takes its first rows, with backward=true its last
//
// # Streams
//
// The facts of a Frond are a stream of server-sent events (docs/decisions/streams.md). A stream
// begins now, after the position in after or Last-Event-ID, or with after=start at the oldest
// event in the log; filter and fields work as in a list.
//
//	GET /api/catalog/facts/productRetired
//	GET /api/catalog/products    Accept: text/event-stream    the list, and then its changes
//
// # Failures
//
// A failure is application/problem+json (RFC 9457) with the members type, title, status,
// detail, instance and data, where data is the whole KitError (spec 4.2.6). A verb that
// the path does not have is 405 with Allow (spec 4.2.3); an unsupported media type is 415.
//
// # Streams
//
// A stream of facts is the events that exist for one caller as text/event-stream, until the
// client leaves, the caller's rights end, or the host stops:
//
//	id: 1kq0i4c0vg004
//	event: orderPlaced
//	data: {"id":"0199…","position":"1kq0i4c0vg004","name":"orderPlaced",…}
//
// If an end has a reason, it is sent before the connection closes: event: end with the
// KitError. A client that connects again with the last id continues from there.
package rest
