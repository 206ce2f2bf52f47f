// Package setting reads settings: one table of keys serves gateway.yaml, the
// FROND_ variables, the flags of the command line and the JSON Schema for editors.
//
// A package that has settings of its own lists them as rows over its fields:
//
//	func (c *CORS) Settings() []setting.Setting {
//		return []setting.Setting{
//			setting.New("cors.credentials", "false", "let a page's browser send cookies", setting.Bool, &c.Credentials),
//		}
//	}
//
// and the gateway concatenates the rows into a [Table]. A row reads the text of its
// value with a reader such as [Bool]; the error of a reader says what to write. The
// package knows no key and does not check settings against each other.
package setting
