//go:build !race

package evolution

const raced = false
