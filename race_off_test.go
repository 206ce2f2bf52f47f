//go:build !race

package frond_test

import "testing"

func unraced(*testing.T) {}
