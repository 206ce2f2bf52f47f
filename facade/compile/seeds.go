package compile

import (
	"encoding/json"
	"fmt"

	"github.com/frondhost/frond/facade/project"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// SeedFile is the rows of one entity for the first start.
type SeedFile struct {
	File   string
	Entity *schema.Entity
	Rows   []json.RawMessage
}

// readSeeds reads the seeds of a Frond: a list of rows each, the file named after the
// entity. Seed judges the rows and reports their faults.
func readSeeds(r *report, m *model, src *project.Frond) (seeds []SeedFile) {
	if src.Remote != "" {
		return nil // its rows are kept elsewhere
	}
	for _, text := range src.Seeds {
		e := m.set.Entity(project.BaseName(text.File))
		if e == nil || e.View || e.Frond != src.Name {
			r.fault(text.File, "", fmt.Sprintf("the Frond %s has no entity called %s", src.Name, project.BaseName(text.File)), "name the file after the entity its rows are of")
			continue
		}
		if e.Table != nil {
			r.fault(text.File, "", fmt.Sprintf("the rows of %s are in a table of another program", e.Name), "remove the file, or the entity's entry under tables in frond.yaml")
			continue
		}
		data, err := schema.ToJSON(text.File, text.Data)
		if err != nil {
			r.keep(err)
			continue
		}
		if jsontext.KindOf(data) != jsontext.Array && !jsontext.IsNull(data) {
			r.fault(text.File, "", "seeds have to be a list of rows", "begin every row with a hyphen")
			continue
		}
		f := SeedFile{File: text.File, Entity: e}
		for _, row := range jsontext.Elements(data) {
			f.Rows = append(f.Rows, row)
		}
		seeds = append(seeds, f)
	}
	return seeds
}
