package nats

import "time"

// LookEvery changes how often a busy publisher looks for revived events, until back is called.
func LookEvery(d time.Duration) (back func()) {
	before := lookEvery
	lookEvery = d
	return func() { lookEvery = before }
}
