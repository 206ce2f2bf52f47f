//go:build race

package leak

// raced says that the race detector is compiled in: it makes a proof about five times
// as slow, so fewer projects are generated.
const raced = true
