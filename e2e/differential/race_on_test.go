//go:build race

package differential

// raced says that the race detector is compiled in, under which a quarter of the cases is tried.
// CI tries all of them without it as well.
const raced = true
