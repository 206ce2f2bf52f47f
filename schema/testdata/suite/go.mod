// The JSON Schema suite's cases of formats, which TestSuiteFormats reads where the
// module proxy has put them. Nothing imports the module.
module suite

go 1.26

require cuelang.org/go v0.17.1
