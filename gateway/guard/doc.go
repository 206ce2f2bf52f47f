// Package guard has the checks in front of every surface and knows none of them. A request
// passes, from the connection inwards:
//
//	Listener    a request that is not HTTP is answered with a problem
//	Pace        a client that does not read is cut off
//	Hosts       a listener on loopback answers to names of this machine alone
//	Compress    answers are compressed for clients that accept that
//	CORS        pages of the named origins may read answers
//	CrossSite   requests of other sites' pages are refused
//	Limiter     a caller has so many requests a minute
//
// Each is an [http.Handler] around the next and works by itself; package gateway puts
// them together. How a refusal is written is the surface's matter: a guard that refuses
// is handed a [Fail], of which [WriteProblem] is the plain one. The package does not
// know the caller, and does not look at the content of a request.
//
// Beside the guards of single requests, [NewBudget] bounds what all of them hold in
// memory, and [Tend] looks after that.
package guard
