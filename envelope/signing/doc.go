// Package signing signs the calls that one process sends to another and verifies
// them where they arrive, which closes what the specification leaves open (5.1,
// 5.2): who may say who is calling. docs/signed-calls.md is the same for other
// languages, with every byte rule.
//
// A post (one JSON-RPC frame, or a batch of them) carries one token, a JWS in its
// compact form, as the member identity of its first frame's params. The token is
// signed with Ed25519, names sender and Frond, lives for a minute, counts once,
// binds everything that is posted by a digest over canonical JSON (RFC 8785), and
// has the caller's state inside. What the frames say of state is not looked at.
//
//	sender := signing.NewSigner(key, "shop")
//	sealed, err := sender.Seal(frames, "billing", state)
//	body := sealed.Post() // anew for every attempt: a token counts once
//
//	verifier, err := signing.NewVerifier("billing", keys, nil)
//	call, err := verifier.Verify(body) // call.State, call.Caller
//
// What is not done here: answers are not signed, and nothing is encrypted. A link
// that others can listen on wants TLS.
package signing
