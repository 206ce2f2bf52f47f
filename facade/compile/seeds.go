package compile

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// seedTexts are the files of all seeds as JSON. Large ones take longer than the cards, so they are
// converted beside them.
type seedTexts struct {
	of     map[*project.Frond][]*seedText
	all    []*seedText
	next   atomic.Int64 // the index in all of the next one to convert
	beside sync.WaitGroup
}

// seedText is a file, and its text as JSON.
type seedText struct {
	project.Text
	json json.RawMessage
	err  error
}

// convertSeeds begins to convert the seeds of Fronds that run here. The caller waits for beside.
func convertSeeds(fronds []*project.Frond) *seedTexts {
	s := &seedTexts{of: map[*project.Frond][]*seedText{}}
	for _, f := range fronds {
		if f.Remote != "" {
			continue // its rows are kept elsewhere
		}
		for _, text := range f.Seeds {
			s.of[f] = append(s.of[f], &seedText{Text: text})
		}
		s.all = append(s.all, s.of[f]...)
	}
	if len(s.all) > 0 {
		s.beside.Go(s.convert)
	}
	return s
}

// convert converts files until all are done.
func (s *seedTexts) convert() {
	for i := s.next.Add(1) - 1; int(i) < len(s.all); i = s.next.Add(1) - 1 {
		t := s.all[i]
		t.json, t.err = schema.ToJSON(t.File, t.Data)
	}
}

// readSeeds reads the seeds of a Frond: a list of rows each, the file named after the
// entity. Seed judges the rows and reports their faults.
func readSeeds(r *report, m *model, texts *seedTexts, src *project.Frond) (seeds []facade.SeedFile) {
	texts.convert()
	texts.beside.Wait()
	for _, text := range texts.of[src] {
		e := m.set.Entity(project.BaseName(text.File))
		if e == nil || e.View || e.Frond != src.Name {
			r.fault(text.File, "", fmt.Sprintf("the Frond %s has no entity called %s", src.Name, project.BaseName(text.File)), "name the file after the entity its rows are of")
			continue
		}
		if e.Table != nil {
			r.fault(text.File, "", fmt.Sprintf("the rows of %s are in a table of another program", e.Name), "remove the file, or the entity's entry under tables in frond.yaml")
			continue
		}
		if text.err != nil {
			r.keep(text.err)
			continue
		}
		if jsontext.KindOf(text.json) != jsontext.Array && !jsontext.IsNull(text.json) {
			r.fault(text.File, "", "seeds have to be a list of rows", "begin every row with a hyphen")
			continue
		}
		seeds = append(seeds, facade.SeedFile{File: text.File, Entity: e, Rows: jsontext.List(text.json)})
	}
	return seeds
}
