package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// lockFile pins what clients depend on: the REST paths (docs/calls.md). It belongs to the
// project and is committed with it.
const lockFile = "frond.lock"

// pins are the plurals of a project's doors, by Frond and door.
//
//	{"plurals": {"shop": {"order": "orders"}}}    /api/shop/orders
type pins struct {
	Plurals map[string]map[string]string `json:"plurals"`
}

// pinsOf are the current plurals.
func pinsOf(served *catalog.Catalog) pins {
	p := pins{Plurals: map[string]map[string]string{}}
	for _, frond := range served.Fronds {
		p.Plurals[frond.Name] = map[string]string{}
		for _, door := range frond.Doors {
			p.Plurals[frond.Name][door.Name] = door.Plural
		}
	}
	return p
}

// writePins writes the lock file. The members are sorted, so that a diff shows what changed.
func writePins(dir string, served *catalog.Catalog) error {
	text, err := json.MarshalIndent(pinsOf(served), "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, lockFile), append(text, '\n'), 0o644); err != nil { //nolint:gosec // committed with the project, so everyone may read it
		return fmt.Errorf("%w; give this user the right to write there", err)
	}
	return nil
}

// checkPins compares the lock file, if there is one, with the catalog.
//
//	no lock file                a notice
//	a door is not in it         a notice
//	its plural is another       a fault: clients would get 404
//	a door of it is gone        a fault
//	it cannot be read           a fault
func checkPins(dir string, served *catalog.Catalog) (faults, notices []schema.Fault) {
	name := filepath.ToSlash(filepath.Join(dir, lockFile))
	text, err := os.ReadFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, []schema.Fault{{Message: "the REST paths are not pinned", Remedy: "write frond check --pin to have changes reported"}}
	}
	var pinned pins
	if err == nil {
		err = json.Unmarshal(text, &pinned)
	}
	if err != nil {
		return []schema.Fault{{File: name, Message: "cannot be read: " + err.Error(), Remedy: "write it again with frond check --pin"}}, nil
	}
	const accept = "or accept it with frond check --pin, and inform its clients"
	for door := range served.Doors() {
		// A Frond that the file does not name has no pinned doors: its nil map is empty.
		was, ok := pinned.Plurals[door.Frond.Name][door.Name]
		switch at := "/plurals/" + jsontext.Token(door.Frond.Name) + "/" + jsontext.Token(door.Name); {
		case !ok:
			notices = append(notices, schema.Fault{File: name, Pointer: at, Message: fmt.Sprintf("%s is not pinned yet", door.Name), Remedy: "write frond check --pin"})
		case !strings.EqualFold(was, door.Plural): // a path is found without regard to case
			faults = append(faults, schema.Fault{
				File: name, Pointer: at, Message: fmt.Sprintf("%s moves from /api/%s/%s to /api/%[2]s/%[4]s", door.Name, door.Frond.Name, was, door.Plural),
				Remedy: fmt.Sprintf("write plural: %s for this door in frond.yaml, %s", was, accept),
			})
		}
		// What remains after the loop is gone.
		delete(pinned.Plurals[door.Frond.Name], door.Name)
	}
	for _, frond := range slices.Sorted(maps.Keys(pinned.Plurals)) {
		for _, door := range slices.Sorted(maps.Keys(pinned.Plurals[frond])) {
			faults = append(faults, schema.Fault{
				File: name, Pointer: "/plurals/" + jsontext.Token(frond) + "/" + jsontext.Token(door),
				Message: fmt.Sprintf("/api/%s/%s is gone, and with it %s", frond, pinned.Plurals[frond][door], door),
				Remedy:  "put the door back, " + accept,
			})
		}
	}
	return faults, notices
}
