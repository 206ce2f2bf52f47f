package project

import (
	"encoding/json"
	"errors"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// The reading of a frond.yaml. YAML and JSON become JSON text first, of which the readers take
// the members one by one, in the order of the file: they know every place in it by its
// pointer, and go on after a fault. The reader of each section has a file of its own:
//
//	config_doors.go      doors, operations and their cards, writes of many rows
//	config_relations.go  nested writes, relations through rows in between, searches by words
//	config_tables.go     tables of an existing database
//	config_rules.go      collectors, computed
//	config_surfaces.go   surfaces and audiences
//	config_facts.go      facts, changes, schedule
//	config_changes.go    renamed, values
//	config_reader.go     what all of them use: objects, texts, lists, faults

// configName returns the Frond's name as its frond.yaml has it, or else otherwise. [Read]
// gives it to the Frond's cards before the file is read as a whole. A broken file is reported
// later, when all of it is read.
func configName(text Text, otherwise string) string {
	data, err := schema.ToJSON(text.File, text.Data)
	if name := jsontext.Get(data, "name"); err == nil && jsontext.KindOf(name) == jsontext.String {
		return jsontext.Unquote(name)
	}
	return otherwise
}

// ReadConfig reads a frond.yaml. The faults are all that is wrong with its form, each with
// a JSON pointer and a remedy; the Config holds the parts without faults nevertheless. The zero
// Text is an empty file.
func ReadConfig(text Text) (Config, schema.Faults) {
	var c Config
	faults := readConfig(text, "a frond.yaml", schema.KeyNames(frondKeys), func(r *configReader) readers {
		return readers{
			"name":       func(value json.RawMessage, at string) { r.string(value, at) }, // read already, by configName
			"doors":      into(&c.Doors, r.doors),
			"many":       into(&c.Many, r.many),
			"nested":     into(&c.Nested, r.nested),
			"files":      into(&c.Files, r.files),
			"search":     into(&c.Search, r.search),
			"relations":  into(&c.Relations, r.relations),
			"tables":     into(&c.Tables, r.tables),
			"collectors": into(&c.Collectors, r.collectors),
			"computed":   into(&c.Computed, r.computed),
			"facts":      into(&c.Facts, r.facts),
			"changes":    into(&c.Changes, r.changes),
			"schedule":   into(&c.Schedule, r.schedule),
			"surfaces":   into(&c.Surfaces, r.surfaces),
			"renamed":    func(value json.RawMessage, at string) { c.Renamed, c.Gone = r.renamed(value, at) },
			"values":     into(&c.Values, r.values),
		}
	})
	return c, faults
}

// readConfig reads the members of a frond.yaml with a name in keys, each by its reader. what is the subject of
// messages.
func readConfig(text Text, what string, keys []string, read func(*configReader) readers) schema.Faults {
	r := &configReader{file: text.File}
	if text.File == "" {
		return nil
	}
	data, err := schema.ToJSON(text.File, text.Data)
	if err != nil {
		var faults schema.Faults
		// ToJSON's error is schema.Faults.
		errors.As(err, &faults)
		return faults
	}
	if jsontext.IsNull(data) {
		return nil // an empty file
	}
	r.members(data, "", what, keys, read(r))
	return r.faults
}
