// Package delivery is what the ways out of an operator have in common: a webhook and a message
// broker are sent every event of the facts they name, by one process at a time, and go on where
// they stopped (docs/facts.md).
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
// # What is promised
//
// An event is delivered at least once: the cursor of a consumer moves in the store after the
// delivery. Any number of processes may run a consumer of one name over one store; a [Lease]
// lets one of them deliver. A process that dies is replaced after [LeaseTime]. What it had
// delivered and not yet saved is delivered again.
//
// While there is nothing to deliver, nothing is written: the lease is given back.
//
// The package does not know how an event is sent.
package delivery
