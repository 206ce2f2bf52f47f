// Package identity identifies the caller. A [Config] chooses one of three ways:
//
//	no setting           every caller is anonymous
//	Dev                  the header X-Frond-User is believed, on loopback only
//	Issuer, Audience …   a Bearer token (RFC 6750), which is a JWT (RFC 7519) of one issuer
//
// and [New] makes the [Authenticator] for it, whose [Authenticator.Session] turns a
// request into the state that collectors and handlers see:
//
//	state.user = {id, roles, scopes, tenant?, claims}
//
// A token is verified against keys from files and from the issuer's JWKS, which is
// fetched in the background; the last good set is kept while the issuer is down. No
// credential is an anonymous caller; an invalid one is UNAUTHORIZED, never anonymous.
//
// The package does not decide about rights: that is the collectors' matter.
package identity
