//go:build race

package leak

// raced says that the race detector is compiled in: it makes a proof about five times
// as slow, so few projects are generated. CI runs the proof without it as well.
const raced = true
