package catalog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
)

// groupKeys are the keys of the query of aggregate; searchGroupKeys those where the rows are searched.
var (
	groupKeys       = []string{"filter", "by", "select", "having", "sort", "limit", "after", "zone"}
	searchGroupKeys = append(slices.Clip(groupKeys), SearchKey)
)

// GroupKeys are the keys of the query of aggregate of a door.
func (d *Door) GroupKeys() []string {
	if d.Entity.Search != nil {
		return searchGroupKeys
	}
	return groupKeys
}

// AggregateCard is the grammar of aggregate as a card: query of the operation.
//
//	filter  the rows, as in list; search too
//	by      the keys of a group: "status,placedAt:month", or a list; without it all rows are one group
//	select  the members of a group: "count,total.sum", or a list; count where left out
//	having  conditions on groups: {"count": {"gte": 5}, "total": {"sum": {"gt": "100"}}}
//	sort    names of by and select, such as "-total.sum"; the keys follow by themselves
//	limit   groups of a page
//	after   the endCursor of a page with the same by, select, sort and zone
//	zone    where days begin: Europe/Paris; UTC where left out
//
// searched is as for [ListCard].
func AggregateCard(limits project.ListLimits, searched []string) *schema.Card {
	names := func(name, description string) schema.Field {
		return schema.Field{Name: name, Shape: schema.Shape{
			Description: description,
			Extra:       schema.Keywords{{Name: "type", Value: json.RawMessage(`["string","array"]`)}},
		}}
	}
	return withSearch(&schema.Card{
		Description: "Which rows, in which groups, and which numbers about each.",
		Required:    []string{},
		Fields: []schema.Field{
			{Name: "filter", Shape: schema.Shape{Type: "object", Description: "Conditions on the rows, in the form of the filter of list."}},
			names("by", "Names of fields, such as status,placedAt:month. Rows with equal values are one group; dates may be cut to hour, day, week, month, quarter or year. Without it all rows are one group."),
			names("select", "The members of each group: count, and functions of fields, such as total.sum; the functions are countDistinct, sum, avg, min and max. The default is count."),
			{Name: "having", Shape: schema.Shape{Type: "object", Description: "Conditions on groups, by names of select, such as {\"count\": {\"gte\": 5}, \"total\": {\"sum\": {\"gt\": 100}}}."}},
			names("sort", "Names of by and select, such as -total.sum; - is descending. The keys follow by themselves."),
			{Name: "limit", Shape: schema.Shape{
				Type: "integer", Description: fmt.Sprintf("The number of groups; a larger number is cut to %d.", limits.Max),
				Extra: append(Keywords("minimum", 0), schema.Keyword{Name: "default", Value: json.RawMessage(strconv.Itoa(limits.Default))}),
			}},
			{Name: "after", Shape: schema.Shape{Type: "string", Description: "A cursor: returns the groups after it."}},
			{Name: "zone", Shape: schema.Shape{Type: "string", Description: "The time zone in which days begin, such as Europe/Paris; UTC unless sent."}},
		},
	}, searched)
}
