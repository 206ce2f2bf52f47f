//go:build !race

package differential

const raced = false
