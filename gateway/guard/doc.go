// Package guard has the checks in front of every surface, without knowledge of the surfaces. A
// request passes, from the connection inwards:
//
//	Listener    a request that is no HTTP is answered with a problem
//	Pace        a client that does not read is cut off
//	Hosts       a listener on loopback answers to names of this machine alone
//	CORS        pages of the origins in cors.origins may read answers
//	CrossSite   requests of other sites' pages are refused
//	Consistent  a caller reads its own writes
//	Limiter     a caller has so many requests a minute
//
// A [Front] runs those from Hosts to Consistent as one list over one value, which is the writer of
// the answer too and compresses it. A surface writes refusals in its own form: a guard returns the error, and a
// [Fail] writes it, of which [WriteProblem] is the plain one. The package does not know the
// caller, and does not look at the content of a request.
//
// Beside the guards of single requests, [NewBudget] bounds what all of them hold in
// memory, and [Tend] looks after that.
package guard
