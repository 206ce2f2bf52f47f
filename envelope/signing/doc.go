// Package signing signs the calls that one process sends to another, and verifies them at the
// receiver. The specification does not say which processes may send a caller's state (5.1,
// 5.2); a signature decides it. docs/signed-calls.md describes the same for other languages,
// with every byte rule.
//
// A post (one JSON-RPC frame, or a batch of them) carries one token, a JWS in compact
// form, as the member identity of its first frame's params. The token
//
//   - is signed with Ed25519 (RFC 8037), and names the key, the sender and the Frond;
//   - is valid for a minute and accepted once;
//   - binds the whole post by a digest over canonical JSON (RFC 8785);
//   - contains the caller's state. The state in the frames is ignored.
//
// The sender signs, and the receiver verifies:
//
//	sender := signing.NewSigner(key, "shop")
//	sealed, err := sender.Seal(frames, "billing", state)
//	body := sealed.Post() // for every attempt: a token is accepted once
//
//	verifier, err := signing.NewVerifier("billing", keys, nil)
//	call, err := verifier.Verify(body) // call.State, call.Caller
//
// Answers are not signed, and texts are not encrypted: a link that others can listen on needs
// TLS.
package signing
