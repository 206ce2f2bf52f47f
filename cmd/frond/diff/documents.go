package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// documents compares the trusted documents and whether others are refused.
func (c *comparison) documents() {
	if c.was.Form != wholeProject || c.is.Form != wholeProject {
		return
	}
	try(&c.out, modeRules, pair[Version]{c.was, c.is}, place{surface: graphQLSurface, at: "graphql.documents"})
	texts := map[string]bool{}
	for _, text := range c.is.Documents {
		texts[strings.TrimSpace(text)] = true
	}
	for _, id := range slices.Sorted(maps.Keys(c.was.Documents)) {
		text := c.was.Documents[id]
		trimmed := strings.TrimSpace(text)
		p := pair[string]{was: &trimmed}
		if other, ok := c.is.Documents[id]; ok {
			other = strings.TrimSpace(other)
			p.is = &other
		} else if strings.HasPrefix(id, "sha256:") && (texts[trimmed] || c.named(text)) {
			continue // it has another id, or its name is reported
		}
		try(&c.out, documentRules, p, place{surface: graphQLSurface, at: "document " + id})
	}
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

// modeRules are tried on how documents are trusted.
var modeRules = []rule[pair[Version]]{
	{changeKind{"documents-enforced", Breaking, onGraphQL, "documents that are not trusted are refused", "run with graphql.documents.mode: log first, and read the log", ""}, begins(func(v *Version) bool { return v.Enforced }, "any document", "trusted documents alone")},
}

// documentRules are tried on the text of every trusted document of the old version.
var documentRules = []rule[pair[string]]{
	{changeKind{"document-removed", Breaking, onGraphQL, "a trusted document is gone: DOCUMENT_NOT_FOUND", "keep the document until no client of that build is left", ""}, gone(func(*string) string { return "trusted" })},
	{changeKind{"document-changed", Dangerous, onGraphQL, "a name identifies another trusted document, whose answer clients get", "give the new document another name", ""}, both(func(was, is *string) *change { return changed(*was != *is, "a document", "another one") })},
}

// settings compares the settings that bound a request.
func (c *comparison) settings() {
	for _, key := range slices.Sorted(maps.Keys(c.was.Limits)) {
		was := c.was.Limits[key]
		is, ok := c.is.Limits[key]
		if !ok {
			continue
		}
		surfaces := onGraphQL
		if !strings.HasPrefix(key, "graphql.") {
			surfaces = onAll
		}
		for _, s := range surfaces {
			try(&c.out, settingRules, pair[int64]{&was, &is}, place{surface: s, at: key})
		}
	}
}

// settingRules are tried on every setting that bounds a request.
var settingRules = []rule[pair[int64]]{
	{changeKind{"limit-lowered", Dangerous, onAll, "a request of a size that passed may be refused", "check the largest requests in the log first", ""}, turned(func(was, is *int64) bool { return *is < *was }, numberText)},
	{changeKind{"limit-raised", safe, onAll, "larger requests pass", noAction, ""}, turned(func(was, is *int64) bool { return *is > *was }, numberText)},
}

func numberText(n *int64) string { return fmt.Sprint(*n) }
