package diff

// Compare lists the changes from was to is. Findings are in a fixed order: by level, surface,
// rule and place. Equal versions have none. Versions of different forms are compared in the
// lesser one, and the report notes the parts that it leaves out.
func Compare(was, is *Version) (*Report, error) {
	report := &Report{}
	form := max(was.Form, is.Form)
	whole := [2]*Version{was, is}
	if form != wholeProject {
		fronds := [2]map[string]string{frondsOf(is), frondsOf(was)}
		if was.Form == Bundle {
			fronds[1] = frondsOf(is)
		}
		for i, v := range whole {
			// A bundle does not know the Fronds of its cards; the other side may.
			known := frondsOf(v)
			if v.Form == Bundle {
				known = fronds[i]
			}
			reduced, err := v.reduced(form, known)
			if err != nil {
				return nil, err
			}
			whole[i] = reduced
		}
		report.Notes = append(report.Notes, notes[form])
	}
	c := &comparison{was: whole[0], is: whole[1]}
	c.pair = newPairing(c.was.catalog.Set, c.is.catalog.Set, is.changes.Renamed)
	c.graphQL()
	c.operations()
	c.facts()
	if form == wholeProject {
		c.access()
	}
	c.store()
	c.documents()
	c.settings()
	report.Findings = c.out.merged()
	if form == wholeProject {
		markUnused(report.Findings, c.was, c.is)
		// A level that is lowered moves its finding.
		f := findings{all: report.Findings}
		report.Findings = f.merged()
	}
	return report, nil
}

// notes name the parts that a lesser form leaves out.
var notes = map[Form]string{
	Discovery: "a host describes its operations, cards and facts: access rules, plurals, GraphQL names of its own and entities without a door are not compared",
	Bundle:    "a bundle has cards alone: every entity counts as having all built-in operations, and only the cards are compared",
}
