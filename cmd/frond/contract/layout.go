package contract

import (
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/schema"
)

// Layout is a Frond as its host describes it, as files that [facade.Read] reads as the Frond's
// own:
//
//	frond.json            doors, operations, facts, computed fields
//	entities/NAME.json    the card of each door that stores something
//	views/NAME.json       what operations take and give
//
// Names come from elsewhere: one that is none is an error, schema.Faults, and no path. The
// error has every fault that compiling the Frond alone has.
func Layout(frond *schema.DiscoveredFrond) (Files, error) {
	src := facade.Discovered(frond, frond.Name)
	// Whoever cannot be compiled here could not be started from these files either.
	src.Remote = "elsewhere"
	if _, err := facade.New(&facade.Project{Fronds: []*facade.FrondSource{src}}, nil, &facade.Options{Incomplete: true}); err != nil {
		return nil, err
	}
	files := Files{}
	var err error
	if files["frond.json"], err = indent(src.Config.Data); err != nil {
		return nil, err
	}
	for _, c := range src.Cards {
		folder := "entities/"
		if c.View {
			folder = "views/"
		}
		if files[folder+c.Name+".json"], err = indent(c.Card.AppendJSON(nil)); err != nil {
			return nil, err
		}
	}
	return files, nil
}
