package guard

import (
	"testing"
)

// TestHosts: a listener on loopback answers to names of this machine alone.
func TestHosts(t *testing.T) {
	own := NewHosts([]string{"shop.test", "Other.Example.", "[fd00::7]"})
	for host, want := range map[string]bool{
		"localhost": true, "LOCALHOST:8080": true, "localhost.": true, "localhost.:8080": true,
		"127.0.0.1": true, "127.0.0.1:8080": true, "127.8.9.10:1": true, "[::1]": true, "[::1]:8080": true, "[::ffff:127.0.0.1]:1": true,
		"shop.test": true, "SHOP.test:8080": true, "shop.test.": true, "other.example": true, "[fd00::7]:80": true,
		"evil.example": false, "evil.example:8080": false, "localhost.evil.example": false, "127.0.0.1.evil.example": false,
		"shop.test.evil.example": false, "notlocalhost": false, "10.0.0.7:8080": false, "0.0.0.0:8080": false, "[::]": false, "[fd00::8]": false, ":8080": false,
	} {
		if got := own.contains(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}
