// Package rest is the REST surface: /api/{frond}/{plural} (spec 4.2).
//
// [Derive] reads the routes off a catalog, and nobody else derives any (spec
// 4.2.2). A [Handler] matches a request against them, reads it into a call, hands
// it to a [facade.Caller] and writes the result; what a call may do is the
// façade's word, on this surface as on every other (spec 4.2.5).
//
//	GET    /api/catalog/products                  product.list
//	POST   /api/catalog/products                  product.create      201 and Location
//	GET    /api/catalog/products/{id}             product.findById    404 where there is none
//	PATCH  /api/catalog/products/{id}             product.update      PUT likewise: both merge
//	DELETE /api/catalog/products/{id}             product.delete      204
//	GET    /api/catalog/products/by-slug          product.bySlug      a query
//	POST   /api/catalog/products/{id}/publish     product.publish     a command
//
// # What a URL says
//
// Parameters go where the operation's cards have them, and become numbers,
// booleans or lists as their card says: path and query string are text. A
// parameter that is not a list stands once; a list is one parameter with commas,
// the parameter repeated, or a JSON array. A query has no body on this surface, so
// the members of its input stand in the query string too.
//
//	filter[price][gte]=10&filter[status]=draft    conditions; no operator means eq
//	filter[status][in]=draft,done                 a list
//	filter[author][name][startsWith]=A            through a relation
//	filter[or][0][price][lt]=5&filter[or][1]…     and, or: numbered; not: no number
//	filter={"price":{"gte":10}}                   the same as JSON; not both at once
//	sort=-createdAt,title  limit=20  after=…  before=…  offset=40  fields=id,title
//	after=…&before=…  both: a range, of which limit takes the first, or with backward=true the last
//
// # What a failure looks like
//
// application/problem+json with the members type, title, status, detail, instance
// and data, where data is the whole KitError (spec 4.2.6). A path under a verb it
// does not have is 405 with Allow (spec 4.2.3); a media type that is not read is 415.
package rest
