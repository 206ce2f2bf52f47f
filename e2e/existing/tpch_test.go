package existing_test

import (
	"strings"
	"testing"

	"github.com/frondhost/frond/cmd/frond/adopt"
)

// TestTPCH follows references of two columns both ways, three relations deep, with filters, orders
// and pages on the way. The reference of a claim has the columns in another order, and may be
// null in part, which is no reference.
func TestTPCH(t *testing.T) {
	for _, product := range []string{"sqlite", "postgres"} {
		t.Run(product, func(t *testing.T) {
			db := open(t, "tpch."+product+".sql")
			unchanged(t, db)
			ask, made := serve(t, db, nil)
			for _, line := range report(made) {
				if strings.HasPrefix(line, string(adopt.Skipped)) {
					t.Errorf("reported: %s", line)
				}
			}
			for _, c := range [][2]string{
				{
					`{ lineitem(id: "1,2") { id partsuppId partsupp { id psAvailqty psSuppkey { sName sNationkey { nName } } } } }`,
					`{"lineitem": {"id": "1,2", "partsuppId": "1,11", "partsupp": {"id": "1,11", "psAvailqty": 3956, "psSuppkey": {"sName": "Supplier#11", "sNationkey": {"nName": "GERMANY"}}}}}`,
				},
				{ // down: many rows for each of several keys
					`{ parts { items { pName partsupps { items { id lineitems(orderBy: [{lQuantity: DESC}]) { total items { id lOrderkey { oCustkey { cName } } } } } } } } }`,
					`{"parts": {"items": [
						{"pName": "goldenrod lavender", "partsupps": {"items": [
							{"id": "1,1", "lineitems": {"total": 2, "items": [{"id": "3,3", "lOrderkey": {"oCustkey": {"cName": "Customer#1"}}}, {"id": "1,1", "lOrderkey": {"oCustkey": {"cName": "Customer#1"}}}]}},
							{"id": "1,2", "lineitems": {"total": 0, "items": []}},
							{"id": "1,11", "lineitems": {"total": 2, "items": [{"id": "3,2", "lOrderkey": {"oCustkey": {"cName": "Customer#1"}}}, {"id": "1,2", "lOrderkey": {"oCustkey": {"cName": "Customer#1"}}}]}}]}},
						{"pName": "blush thistle", "partsupps": {"items": [{"id": "2,2", "lineitems": {"total": 1, "items": [{"id": "2,1", "lOrderkey": {"oCustkey": {"cName": "Customer#2"}}}]}}]}},
						{"pName": "spring maroon", "partsupps": {"items": [{"id": "11,1", "lineitems": {"total": 1, "items": [{"id": "3,1", "lOrderkey": {"oCustkey": {"cName": "Customer#1"}}}]}}]}}]}}`,
				},
				{ // an order and its lines, by another key than the made one, which is selected
					`{ orders(filter: {oOrderkey: {eq: 1}}) { items { lineitems { items { partsuppId partsupp { psAvailqty } } } } } }`,
					`{"orders": {"items": [{"lineitems": {"items": [{"partsuppId": "1,1", "partsupp": {"psAvailqty": 3325}}, {"partsuppId": "1,11", "partsupp": {"psAvailqty": 3956}}]}}]}}`,
				},
				{ // filters through the relation, both ways, and by the key itself
					`{ a: lineitems(filter: {partsupp: {psAvailqty: {lt: 4000}, psPartkey: {pSize: {eq: 7}}}}) { items { id } }
					   b: partsupps(filter: {lineitems: {none: {}}}) { items { id } }
					   c: partsupps(filter: {lineitems: {some: {lQuantity: {gte: 45}}}, claims: {some: {why: {ne: "late"}}}}) { items { id } }
					   d: lineitems(filter: {partsuppId: {in: ["1,1", "2,2", "no", "1"]}}) { items { id } }
					   e: parts(filter: {partsupps: {some: {lineitems: {every: {lQuantity: {gt: 20}}}}}}) { items { pPartkey } }
					   f: lineitems(filter: {or: [{partsupp: {psAvailqty: {eq: 8895}}}, {partsuppId: {eq: "2,2"}}]}) { items { id } } }`,
					`{"a": {"items": [{"id": "1,1"}, {"id": "1,2"}, {"id": "3,2"}, {"id": "3,3"}]},
					  "b": {"items": [{"id": "1,2"}]},
					  "c": {"items": [{"id": "1,11"}]},
					  "d": {"items": [{"id": "1,1"}, {"id": "2,1"}, {"id": "3,3"}]},
					  "e": {"items": [{"pPartkey": 1}, {"pPartkey": 2}, {"pPartkey": 11}]},
					  "f": {"items": [{"id": "2,1"}, {"id": "3,1"}]}}`,
				},
				{ // null, in part and as a whole
					`{ a: claims { items { id partsuppId partsupp { id } } }
					   b: claims(filter: {partsuppId: {isNull: true}}) { items { id } }
					   c: claims(filter: {partsuppId: {ne: "1,1"}}) { items { id } }
					   d: claims(filter: {partsuppId: {notIn: ["11,1"]}}) { items { id } }
					   e: claims(filter: {not: {partsupp: {psAvailqty: {gt: 0}}}}) { items { id } }
					   f: partsupps(filter: {claims: {some: {}}}) { items { id claims { items { why } } } } }`,
					`{"a": {"items": [{"id": 1, "partsuppId": "1,1", "partsupp": {"id": "1,1"}}, {"id": 2, "partsuppId": "1,11", "partsupp": {"id": "1,11"}}, {"id": 3, "partsuppId": null, "partsupp": null}, {"id": 4, "partsuppId": null, "partsupp": null}]},
					  "b": {"items": [{"id": 3}, {"id": 4}]},
					  "c": {"items": [{"id": 2}, {"id": 3}, {"id": 4}]},
					  "d": {"items": [{"id": 1}, {"id": 2}, {"id": 3}, {"id": 4}]},
					  "e": {"items": [{"id": 3}, {"id": 4}]},
					  "f": {"items": [{"id": "1,1", "claims": {"items": [{"why": "late"}]}}, {"id": "1,11", "claims": {"items": [{"why": "broken"}]}}]}}`,
				},
				{ // its columns are written, and it follows them
					`mutation { a: updateClaim(id: 3, input: {part: 2, supplier: 2}) { partsuppId partsupp { psAvailqty } }
					   b: createLineitem(input: {lOrderkey: 2, lLinenumber: 2, lPartkey: 11, lSuppkey: 1, lQuantity: 5}) { id partsuppId partsupp { psPartkey { pName } } }
					   c: updateClaim(id: 4, input: {part: 2, supplier: 11}) { partsuppId } }`,
					`{"a": {"partsuppId": "2,2", "partsupp": {"psAvailqty": 4969}}, "b": {"id": "2,2", "partsuppId": "11,1", "partsupp": {"psPartkey": {"pName": "spring maroon"}}}, "c": null}`,
				},
			} {
				answer, _, _ := strings.Cut(strings.TrimPrefix(ask(c[0]), `{"data":`), `,"errors":`)
				if strings.Count(answer, "{") < strings.Count(answer, "}") {
					answer = strings.TrimSuffix(answer, "}")
				}
				same(t, c[1], answer)
			}
			if answer := ask(`mutation { createClaim(input: {id: 9, why: "x", partsuppId: "1,1"}) { id } }`); !strings.Contains(answer, "partsuppId") || !strings.Contains(answer, "GRAPHQL_VALIDATION_FAILED") {
				t.Errorf("a made relation is written: %s", answer)
			}

			// In memory there is no database: the project starts with tables of its own.
			p, _ := project(t, db, nil)
			inMemory := settings(db)
			inMemory.Config.Store, inMemory.Config.Migrate = "memory", ""
			same(t, `{"data": {"lineitems": {"total": 0}, "claims": {"items": []}}}`,
				asked(t, p, inMemory)(`{ lineitems(filter: {partsupp: {psAvailqty: {gt: 1}}}) { total } claims(orderBy: [{partsuppId: ASC}]) { items { partsuppId } } }`))

			// Every order, a row at a time, gives what one page gives.
			for _, order := range []string{"partsuppId: ASC", "partsuppId: DESC", "lQuantity: ASC", "id: DESC"} {
				whole := ask(`{ lineitems(orderBy: [{` + order + `}]) { items { id } } }`)
				var walked []string
				after := ""
				for range 20 {
					page := ask(`{ lineitems(first: 1, orderBy: [{` + order + `}]` + after + `) { items { id } endCursor hasMore } }`)
					if at := strings.Index(page, `{"id"`); at >= 0 {
						walked = append(walked, page[at:at+strings.Index(page[at:], "}")+1])
					}
					if !strings.Contains(page, `"hasMore":true`) {
						break
					}
					_, cursor, _ := strings.Cut(page, `"endCursor":"`)
					cursor, _, _ = strings.Cut(cursor, `"`)
					after = `, after: "` + cursor + `"`
				}
				same(t, whole, `{"data":{"lineitems":{"items":[`+strings.Join(walked, ",")+`]}}}`)
				if len(walked) != 7 {
					t.Errorf("%s: %d rows", order, len(walked))
				}
			}
		})
	}
}
