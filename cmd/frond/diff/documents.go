package diff

import (
	"maps"
	"slices"
	"strings"
)

// documentPair is the text of a trusted document in both versions, by its id; "" is none.
type documentPair struct{ was, is string }

// documents compares the trusted documents and whether others are refused.
func (c *comparison) documents() {
	if c.was.Form != wholeProject || c.is.Form != wholeProject {
		return
	}
	try(&c.out, modeRules, [2]*Version{c.was, c.is}, place{surface: graphQLSurface, at: "graphql.documents"})
	texts := map[string]bool{}
	for _, text := range c.is.Documents {
		texts[strings.TrimSpace(text)] = true
	}
	for _, id := range slices.Sorted(maps.Keys(c.was.Documents)) {
		text := c.was.Documents[id]
		other, ok := c.is.Documents[id]
		if ok {
			c.document(id, documentPair{was: strings.TrimSpace(text), is: strings.TrimSpace(other)})
		}
		if ok || strings.HasPrefix(id, "sha256:") && texts[strings.TrimSpace(text)] {
			continue
		}
		if strings.HasPrefix(id, "sha256:") && c.named(text) {
			continue // its name is reported
		}
		c.document(id, documentPair{was: text})
	}
}

// document compares one trusted document.
func (c *comparison) document(id string, pair documentPair) {
	try(&c.out, documentRules, pair, place{surface: graphQLSurface, at: "document " + id})
}

// named reports whether a removed document of the old version has a name in addition to its
// hash.
func (c *comparison) named(text string) bool {
	for id, other := range c.was.Documents {
		if !strings.HasPrefix(id, "sha256:") && other == text {
			if _, ok := c.is.Documents[id]; !ok {
				return true
			}
		}
	}
	return false
}

// modeText says which documents run.
func modeText(v *Version) string {
	if v.Enforced {
		return "trusted documents alone"
	}
	return "any document"
}

// modeRules are tried on how documents are trusted.
var modeRules = []rule[[2]*Version]{
	{
		changeKind{"documents-enforced", Breaking, []Surface{graphQLSurface}, "documents that are not trusted are refused", "run with graphql.documents.mode: log first, and read the log", ""},
		func(p [2]*Version) *change {
			return changed(!p[0].Enforced && p[1].Enforced, modeText(p[0]), modeText(p[1]))
		},
	},
}

// documentRules are tried on every trusted document of the old version.
var documentRules = []rule[documentPair]{
	{
		changeKind{"document-removed", Breaking, []Surface{graphQLSurface}, "a trusted document is gone: a client that names it gets DOCUMENT_NOT_FOUND", "keep the document until no client of that build is left", ""},
		func(p documentPair) *change { return changed(p.is == "", "trusted", "") },
	},
	{
		changeKind{"document-changed", Dangerous, []Surface{graphQLSurface}, "a name identifies another trusted document: clients of the old one get the answer of the new one", "give the new document another name", ""},
		func(p documentPair) *change { return changed(p.is != "" && p.was != p.is, "a document", "another one") },
	},
}
