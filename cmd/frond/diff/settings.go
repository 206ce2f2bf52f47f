package diff

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// limitPair is a setting that bounds requests, in both versions.
type limitPair struct{ was, is int64 }

// settings compares the settings that bound a request.
func (c *comparison) settings() {
	for _, key := range slices.Sorted(maps.Keys(c.was.Limits)) {
		to, ok := c.is.Limits[key]
		if !ok {
			continue
		}
		surfaces := []Surface{graphQLSurface}
		if !strings.HasPrefix(key, "graphql.") {
			surfaces = onAll
		}
		for _, s := range surfaces {
			try(&c.out, settingRules, limitPair{c.was.Limits[key], to}, place{surface: s, at: key})
		}
	}
}

// settingRules are tried on every setting that bounds a request.
var settingRules = []rule[limitPair]{
	{
		changeKind{"limit-lowered", Dangerous, onAll, "a request of a size that passed may be refused", "check the largest requests in the log first", ""},
		func(p limitPair) *change { return changed(p.is < p.was, fmt.Sprint(p.was), fmt.Sprint(p.is)) },
	},
	{
		changeKind{"limit-raised", safe, onAll, "larger requests pass", "no action needed", ""},
		func(p limitPair) *change { return changed(p.is > p.was, fmt.Sprint(p.was), fmt.Sprint(p.is)) },
	},
}
