package client

// Age makes idle connections older than they may become and returns how many stay.
func (r *Remote) Age() int {
	cs := r.host.sender.endpoint.own.(*connections)
	cs.mu.Lock()
	for _, c := range cs.idle {
		c.used = c.used.Add(-idleTime)
	}
	cs.mu.Unlock()
	cs.expire()
	return len(cs.idle)
}
