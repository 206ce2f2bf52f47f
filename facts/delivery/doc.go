// Package delivery is the common part of webhooks and message brokers: a consumer gets every
// event of the facts it names, from one process at a time, and continues after a stop
// (docs/facts.md).
//
//	c := &delivery.Consumer{Name: "webhook:billing", Facts: []string{"shop.orderPlaced"}, Store: store, Feed: feed}
//	err := c.Run(ctx, func(ctx context.Context, s *delivery.Session) error {
//		for {
//			events, behind, err := s.Next(ctx)
//			if err != nil {
//				return err
//			}
//			// … deliver the events …
//			if err := s.Save(ctx, behind); err != nil {
//				return err
//			}
//		}
//	})
//
// # Guarantees
//
// An event is delivered at least once: the cursor of a consumer moves in the store after the
// delivery. Any number of processes may run a consumer of one name over one store; a [lease]
// lets one of them deliver. A process that dies is replaced after 15 seconds. Its deliveries
// since the last saved cursor are repeated.
//
// A consumer without events to deliver gives its lease back and does not write to the store.
//
// The package does not know how an event is sent.
package delivery
