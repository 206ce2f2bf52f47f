package contract

import "fmt"

// names makes names unique; the second of a kind gets a number.
type names map[string]bool

// newNames is a set in which some names are taken.
func newNames(taken ...string) names {
	n := names{}
	for _, name := range taken {
		n[name] = true
	}
	return n
}

// take returns the wanted name, with a number at its end if the name is taken.
func (n names) take(wanted string) string {
	name := wanted
	for i := 2; n[name]; i++ {
		name = fmt.Sprint(wanted, i)
	}
	n[name] = true
	return name
}
