// Package judge compares the judge in JavaScript with the Go judge: generated cards, bodies
// and modes are judged by both, the Go judge as WebAssembly under node, and every detail has to
// be the same.
package judge
