package diff

import "slices"

// allRules are all rules, in the order of docs/diff.md: by subject, and in a subject removals
// before additions.
func allRules() []changeKind {
	return slices.Concat(
		listed(graphQLRules), listed(nameRules), listed(operationRules), listed(requestRules), listed(resultRules), listed(pageRules), listed(filterRules), listed(fileRules),
		listed(doorRules), listed(exposureRules), listed(classRules), listed(grantRules), listed(propertyRules), listed(factRules), listed(receiverRules),
		listed(tableRules), listed(columnRules), listed(uniqueRules), listed(modeRules), listed(documentRules), listed(settingRules),
	)
}
