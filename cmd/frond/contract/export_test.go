package contract

var GoName = goName

// TypeScript returns the TypeScript files of the npm package.
func (m *Model) TypeScript() (Files, error) { return m.typeScript() }
