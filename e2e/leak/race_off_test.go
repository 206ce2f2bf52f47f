//go:build !race

package leak

const raced = false
