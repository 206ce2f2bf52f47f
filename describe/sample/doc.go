// Package sample makes single values: a value fits a JSON Schema and looks like the name of its
// field. Package mockdata makes rows of them.
//
//	m := &sample.Maker{Rand: seed.At("product", 7), About: sample.NewSubject("product", r)}
//	price, ok := m.Value(schema, sample.NewName("price")) // 24.95
//
// A [Shape] is a schema with its references and alternatives folded in, a [Name] is the
// words of a field, and a subject makes the fields of one row agree: the email of a
// person has the person's name in it. All randomness comes from a [Chance], so that the
// same seed has the same values.
package sample
