package rest

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/frondhost/frond/facade/catalog"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
)

// The path of a request is split at its slashes as it was sent and then decoded, segment by
// segment, so that an id may contain %2F. The number of segments below the base decides:
//
//	2   {frond}/{plural}              the collection
//	3   {frond}/{plural}/{x}          a named operation, else the row with the id x (spec 4.2.1)
//	4   {frond}/{plural}/{id}/{name}  a named operation on a row
//
// Below a Frond that announces something, {frond}/facts/{name} is a fact.
//
// No pattern is tried in turn: each level is one look in a map, for a catalog of any size.

// match is the row of a path, and the id in the path.
type match struct {
	resource *resource
	alias    *catalog.Alias // by which the door is called; nil: its own name
	row      *row
	id       string // percent-decoded; set where hasID
	hasID    bool

	frond, fact string // of a fact, which has row alone beside them; "": it is none
}

// match finds the row of an escaped path by map lookups. Without one the error is NOT_FOUND and
// lists the names at that level, or BAD_REQUEST for a path in another form than percent-encoded
// UTF-8. Names of Fronds and operations are compared exactly, plurals without regard to case.
func (t *Table) match(escaped string) (match, *kiterror.Error) {
	rest, under := strings.CutPrefix(escaped, t.base)
	if !under || rest != "" && rest[0] != '/' {
		return match{}, kiterror.Errorf(kiterror.NotFound, "no route here; API paths start with %s/", t.base)
	}
	segments, n, err := t.segments(rest)
	if err != nil {
		return match{}, err
	}
	frond, known := t.fronds[segments[0]]
	if n == 0 || !known {
		return match{}, kiterror.Errorf(kiterror.NotFound, "no Frond has this path; %s/ has the Fronds %s", t.base, names(t.fronds))
	}
	if row := t.facts[segments[0]]; row != nil && strings.EqualFold(segments[1], factsSegment) {
		if n != 3 || segments[2] == "" {
			return match{}, kiterror.Errorf(kiterror.NotFound, "name a fact after facts, as in %s", row.path)
		}
		return match{row: row, frond: segments[0], fact: segments[2]}, nil
	}
	at, known := frond[strings.ToLower(segments[1])]
	if n < 2 || !known {
		return match{}, kiterror.Errorf(kiterror.NotFound, "no door has this path; the Frond %s has %s", segments[0], plurals(frond))
	}
	res := at.resource
	m := match{resource: res, alias: at.alias}
	switch n {
	case 2:
		m.row = res.collection
	case 3:
		// spec 4.2.1: a named operation wins over {id}
		if m.row = res.named[segments[2]]; m.row == nil {
			m.row, m.id, m.hasID = res.item, segments[2], true
		}
	case 4:
		m.row, m.id, m.hasID = res.onItem[segments[3]], segments[2], true
	}
	if m.hasID && m.id == "" {
		// A path whose id was left empty must not reach the operations on the collection.
		return match{}, kiterror.Errorf(kiterror.NotFound, "the id is empty; send %s/{id}, or %s without the / at its end", res.path, res.path)
	}
	if m.row == nil {
		return match{}, kiterror.Errorf(kiterror.NotFound, "no route here; %s has %s", res.door.Name, res.paths())
	}
	return m, nil
}

// segments returns the decoded segments of a path and their number. No path has more than four,
// and an array needs no allocation.
func (t *Table) segments(rest string) (segments [4]string, n int, err *kiterror.Error) {
	for rest != "" {
		var segment string
		segment, rest = cutSegment(rest)
		if n == len(segments) {
			return segments, n, kiterror.Errorf(kiterror.NotFound,
				"the path has too many segments; send %s/{frond}/{plural}/{id}, with / as %%2F in ids", t.base)
		}
		if strings.IndexByte(segment, '%') >= 0 {
			decoded, err := url.PathUnescape(segment)
			if err != nil {
				return segments, n, notUTF8()
			}
			segment = decoded
		}
		if !utf8.ValidString(segment) {
			return segments, n, notUTF8()
		}
		segments[n] = segment
		n++
	}
	return segments, n, nil
}

// Path returns the pattern that an escaped path matches, such as /api/catalog/products/{id}, or
// "" without a route. Telemetry groups by it.
func (t *Table) Path(escaped string) string {
	m, missing := t.match(escaped)
	if missing != nil {
		return ""
	}
	return m.row.path
}

// notUTF8 is the failure of a path whose escapes are malformed or decode to other bytes.
func notUTF8() *kiterror.Error {
	return kiterror.Errorf(kiterror.BadRequest, "the path is no percent-encoded UTF-8; send such bytes as %%XX, and %% as %%25")
}

// cutSegment splits a path that begins with a slash after its first segment.
func cutSegment(path string) (segment, rest string) {
	path = path[1:]
	if i := strings.IndexByte(path, '/'); i >= 0 {
		return path[:i], path[i:]
	}
	return path, ""
}

// paths lists a door's paths for a message.
func (res *resource) paths() string {
	paths := make([]string, len(res.rows))
	for i, r := range res.rows {
		paths[i] = r.path
	}
	return some(paths)
}

// names lists the keys of a map for a message, in alphabetical order.
func names[V any](of map[string]V) string {
	return some(slices.Sorted(maps.Keys(of)))
}

// plurals lists the doors of a Frond for a message, in the spelling of their paths.
func plurals(frond map[string]place) string {
	spelled := make(map[string]bool, len(frond))
	for _, res := range frond {
		spelled[res.door.Plural] = true
	}
	return names(spelled)
}

// some joins as many names as a message lists.
func some(names []string) string {
	switch {
	case len(names) == 0:
		return "nothing"
	case len(names) > schema.MaxNames:
		return strings.Join(names[:schema.MaxNames], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}
