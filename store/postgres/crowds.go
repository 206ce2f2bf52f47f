package postgres

import "sync/atomic"

// crowds remembers that keys had more rows than a scan may read. Its zero value knows nothing.
type crowds struct {
	// most is the greatest limit of rows a key with which a scan came to its end; 0: none did.
	most atomic.Int64
	// pause is how many more statements are not worth a scan at that limit.
	pause atomic.Int64
}

// crowdPause is how many statements search key by key before a scan is tried again.
const crowdPause = 500

// worth reports whether a scan with a limit a key is likely to be enough.
func (w *crowds) worth(limit int) bool {
	most := w.most.Load()
	return most == 0 || int64(limit) > most || w.pause.Add(-1) < 0
}

// enough notes what came of a scan.
func (w *crowds) enough(limit int, was bool) {
	most := w.most.Load()
	switch {
	case !was:
		w.most.Store(max(most, int64(limit)))
		w.pause.Store(crowdPause)
	case int64(limit) <= most:
		w.most.Store(int64(limit) - 1)
	}
}
