package schema

import "slices"

// Search is how the rows of an entity are searched by words (docs/search.md). It never changes once
// its entity is in use.
type Search struct {
	// Fields are the texts that are searched, in the order in which frond.yaml has them.
	Fields []SearchField
	// Language says how words are reduced to their stems: one of [Languages].
	Language string
	// Rank is the sort key that a search adds, which no row has a value of. nil: a field of the
	// entity has its name.
	Rank *Property
}

// SearchField is a searched field. Weight is A, the most important, to D.
type SearchField struct {
	*Property
	Weight byte
}

// Languages are those of [Search].
var Languages = []string{"simple", "english"}

// RankKey is the name of the sort key that a search adds.
const RankKey = "rank"

// SetSearch lets the rows of the entity be searched. It is called before the entity is in use.
func (e *Entity) SetSearch(language string, fields []SearchField) {
	e.Search = &Search{Fields: fields, Language: language}
	if !slices.ContainsFunc(e.Fields, func(p *Property) bool { return p.Name == RankKey || p.Link != nil && p.Link.Key == RankKey }) {
		e.Search.Rank = &Property{Field: Field{Name: RankKey}, Index: len(e.Fields), Owner: e, Kind: KindNumber, required: true}
	}
}
