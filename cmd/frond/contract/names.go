package contract

import "fmt"

// names gives each name once; the second of a kind has a number behind it.
type names map[string]bool

// newNames is a set in which some names are taken.
func newNames(taken ...string) names {
	n := names{}
	for _, name := range taken {
		n[name] = true
	}
	return n
}

// take returns the wanted name, with a number behind it if it is taken.
func (n names) take(wanted string) string {
	name := wanted
	for i := 2; n[name]; i++ {
		name = fmt.Sprint(wanted, i)
	}
	n[name] = true
	return name
}
