// Package postgres keeps the rows of entities in PostgreSQL: it answers [facade.Store] over
// a server that several gateways may share.
package postgres
