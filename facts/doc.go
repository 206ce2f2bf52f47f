// Package facts hands the events of one log to everybody who follows it.
//
// A [Feed] reads a [facade.EventLog]: the outbox of this host, or the log of a remote. It reads
// the log once for all of its readers:
//
//	log ──Relay, Log──▶ Feed ──window of recent events──▶ Reader, Reader, …
//	 └───────── blocks of older events, shared ──────────▶ Reader that is behind
//
//	r, err := feed.Subscribe(ctx, []string{"shop.orderPlaced"}, facts.Now)
//	…
//	defer r.Close()
//	for {
//		events, resume, err := r.Next(ctx)
//		…
//	}
//
// Over an outbox the feed is also the relay: it gives positions to committed events and removes old
// ones, unless another process does. It wakes when this process commits, and looks for the commits
// of others every 50 ms while there are some and every 500 ms else. It skips a look if the outbox
// reports that there are no new ones ([facade.Outbox]).
//
// A reader costs a few hundred bytes and no goroutine. Events of other names do not wake it,
// and one that does not read costs no work: it reads the missed events from the log when it
// goes on. The package does not know callers and their rights; facade.Watch judges which events
// each of them sees.
package facts
