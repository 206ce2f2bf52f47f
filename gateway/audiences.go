package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/envelope"
	"github.com/frondhost/frond/gateway/setting"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// surfacePaths are the paths of the surfaces for everybody; an audience's are below its own.
var surfacePaths = []string{graphQLPath, restPath, envelope.Path}

const (
	graphQLPath = "/graphql"
	restPath    = "/api/"
	streamsPath = "/_kit/stream" // of REST: several streams in one answer
)

// basesOf are the paths in front of the surfaces: "" for everybody first, then for each
// audience /{audience}, or its path in the setting audiences.
func basesOf(audiences []string, paths map[string]string) (bases []string, faults schema.Faults) {
	fault := func(audience, message, remedy string) {
		faults = append(faults, schema.Fault{File: setting.File, Pointer: "/audiences/" + jsontext.Token(audience), Message: message, Remedy: remedy})
	}
	for _, name := range slices.Sorted(maps.Keys(paths)) {
		if !slices.Contains(audiences, name) {
			there := "there is no audience; name one under surfaces in a frond.yaml"
			if len(audiences) > 0 {
				there = "the audiences are " + strings.Join(audiences, ", ")
			}
			fault(name, fmt.Sprintf("no Frond shows anything to an audience %s", name), there)
		}
	}
	bases = append(bases, "")
	taken := map[string]string{"/livez": "the gateway", "/readyz": "the gateway"} // path to its owner
	for _, path := range surfacePaths {
		taken[strings.TrimSuffix(path, "/")] = "everybody"
	}
	for _, name := range audiences {
		base, set := paths[name]
		if !set {
			base = "/" + name
		}
		if err := checkBase(base); err != nil {
			fault(name, fmt.Sprintf("%q is no path an audience could have", base), err.Error())
		}
		for _, path := range slices.Sorted(maps.Keys(taken)) {
			if within(base, path) || within(path, base) {
				fault(name, fmt.Sprintf("the audience %s would be served at %s, and %s is %s's", name, base, path, taken[path]),
					fmt.Sprintf("write another path in %s: audiences: {%s: /for-%[2]s}", setting.File, name))
				break
			}
		}
		taken[base] = "the audience " + name
		bases = append(bases, base)
	}
	return bases, faults
}

// within reports whether a path is another one, or below it.
func within(path, other string) bool {
	rest, ok := strings.CutPrefix(path, other)
	return ok && (rest == "" || rest[0] == '/')
}

var errBase = errors.New("write a path of letters, digits, - and _, such as /partner or /b2b/v1")

// checkBase reports a path with other than plain segments: patterns of routers have no place in
// it.
func checkBase(path string) error {
	rest, ok := strings.CutPrefix(path, "/")
	for segment := range strings.SplitSeq(rest, "/") {
		if !ok || segment == "" || strings.ContainsFunc(segment, func(r rune) bool {
			return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
		}) {
			return errBase
		}
	}
	return nil
}

// readAudiences reads the paths of audiences: a map in the file, in a variable or a flag JSON or
// comma-separated partner=/b2b.
func readAudiences(text string) (map[string]string, error) {
	help := errors.New("write paths such as {partner: /b2b} in the file, or partner=/b2b elsewhere")
	all := map[string]string{}
	if doc := []byte(text); jsontext.Check(doc) == nil {
		if jsontext.KindOf(doc) != jsontext.Object {
			return nil, help
		}
		if err := json.Unmarshal(doc, &all); err != nil {
			return nil, help
		}
	} else {
		for pair := range strings.SplitSeq(text, ",") {
			name, path, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, help
			}
			all[strings.TrimSpace(name)] = strings.TrimSpace(path)
		}
	}
	for _, path := range all {
		if err := checkBase(path); err != nil {
			return nil, err
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	return all, nil
}
