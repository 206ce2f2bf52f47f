// Package existing makes projects of databases that other programs are known to have (the sample
// databases Chinook, Northwind and Pagila, reconstructed with a few rows), serves them, and
// holds that nothing of theirs is changed.
package existing
