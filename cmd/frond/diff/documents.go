package diff

import (
	"slices"
	"strings"
)

// documentPair is a trusted document by its id in both versions; "" is none.
type documentPair struct {
	was, is  string
	enforced bool // the new version refuses documents that are not trusted
}

// documents compares the trusted documents and whether others are refused.
func (c *comparison) documents() {
	if c.was.Form != Project || c.is.Form != Project {
		return
	}
	try(&c.out, documentRules, documentPair{was: modeText(c.was), is: modeText(c.is), enforced: c.is.Enforced}, place{surface: OnGraphQL, at: "graphql.documents"})
	texts := map[string]bool{}
	for _, text := range c.is.Documents {
		texts[strings.TrimSpace(text)] = true
	}
	for _, id := range slices.Sorted(keysOf(c.was.Documents)) {
		text := c.was.Documents[id]
		if _, ok := c.is.Documents[id]; ok || strings.HasPrefix(id, "sha256:") && texts[strings.TrimSpace(text)] {
			continue
		}
		if strings.HasPrefix(id, "sha256:") && c.named(text) {
			continue // its name is reported
		}
		c.out.add(&removedDocument.Rule, place{surface: OnGraphQL, at: "document " + id}, removedDocument.find(documentPair{was: text}))
	}
}

// named reports whether a document of the old version has a name beside its hash that is gone.
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

// removedDocument is tried on every document of the old version that the new one has not.
var removedDocument = rule[documentPair]{
	Rule{"document-removed", Breaking, []Surface{OnGraphQL}, "a trusted document is gone: a client that names it gets DOCUMENT_NOT_FOUND", "keep the document until no client of that build is left", ""},
	func(p documentPair) *change { return changed(p.was != "" && p.is == "", "trusted", "") },
}

// documentRules are tried on how documents are trusted.
var documentRules = []rule[documentPair]{
	{
		Rule{"documents-enforced", Breaking, []Surface{OnGraphQL}, "documents that are not trusted are refused", "run with graphql.documents.mode: log first, and read what it logs", ""},
		func(p documentPair) *change { return changed(p.was != p.is && p.enforced, p.was, p.is) },
	},
	removedDocument,
}
