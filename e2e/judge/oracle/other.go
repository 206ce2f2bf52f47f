//go:build !js

// Command oracle is for JavaScript alone; see main.go.
package main

import "log"

func main() { log.Fatal("oracle: it runs in JavaScript; build it with GOOS=js GOARCH=wasm") }
