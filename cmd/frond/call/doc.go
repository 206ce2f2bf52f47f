// Package call makes one call from the command line: it parses values, finds what
// answers the call, and puts each value into the part of the invocation where the
// operation's cards say it belongs.
//
//	given, err := call.ParseValues([]string{"id=p1", "price:=900"})
//	target := call.Local(host) // or call.Remote(url, headers)
//	places, err := target.Places(ctx, "product", "update")
//	err = places.Fill(&invocation, given) // {"params":{"id":"p1"},"body":{"price":900}}
//
// It does not judge: the façade refuses a misplaced value.
package call
