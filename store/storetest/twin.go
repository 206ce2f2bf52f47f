package storetest

import "testing"

func testTwin(t *testing.T, w *world) { t.Skip("the plain twin has not landed") }
