package diff

type Rule = changeKind

var Rules = allRules

const (
	Project   = wholeProject
	Safe      = safe
	OnGraphQL = graphQLSurface
	OnREST    = restSurface
	OnStore   = storeSurface
	OnAccess  = accessSurface
	OnFacts   = factsSurface
)
