package diff

// Compare lists the changes from was to is. Findings are in a fixed order: by level, surface,
// rule and place. Equal versions have no findings. Versions of different forms are compared in
// the lesser one, and the report notes the parts that it leaves out.
func Compare(was, is *Version) (*Report, error) {
	report := &Report{}
	form := max(was.Form, is.Form)
	given := [2]*Version{was, is}
	compared := given
	if form != wholeProject {
		for i, v := range given {
			// A bundle does not know the Fronds of its cards; the other side may.
			known := v
			if v.Form == Bundle {
				known = given[1-i]
			}
			var err error
			if compared[i], err = v.reduced(form, frondsOf(known)); err != nil {
				return nil, err
			}
		}
		report.Notes = append(report.Notes, notes[form])
	}
	c := &comparison{was: compared[0], is: compared[1]}
	c.pair = newPairing(c.was.catalog.Set, c.is.catalog.Set, is.changes.Renamed)
	c.graphQL()
	c.operations()
	c.facts()
	if form == wholeProject {
		c.access()
		c.files()
	}
	c.store()
	c.documents()
	c.settings()
	report.Findings = c.out.merged()
	if form == wholeProject {
		markUnused(report.Findings, c.was, c.is)
		// A lowered level moves its finding.
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
