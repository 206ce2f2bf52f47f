// Package topology says which Fronds of a project run in other processes (spec 1.6), calls
// them, and discovers their catalogs in the background.
//
//	Discover   ask every host once, at the start
//	Project    the project with its Fronds local or remote, as far as that is known
//	Clients    what calls the operations of each remote Frond
//	Watch      ask again and again; a host that serves something else is reported
//
// A Frond that has cards here is served by these while its host is down. A Frond without
// cards is served as its discovery document says, within the bounds of its [Remote], and
// is ignored where its names are taken ([Topology.WithoutClaims]).
//
// The package compiles no façade and serves no surface: the gateway does so
// when the topology has changed.
package topology
