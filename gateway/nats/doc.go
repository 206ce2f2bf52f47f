// Package nats publishes facts to JetStream of NATS, for a program that links it:
//
//	frond.New(site, frond.With(nats.Facts))
//
// # JetStream of NATS
//
//	subject   frond.shop.orderPlaced      PREFIX.FROND.FACT, in a stream called FROND_FACTS
//	headers   Nats-Msg-Id: 019a…          the event's id, by which JetStream drops repeated messages
//	          Content-Type: application/cloudevents+json; charset=utf-8
//	body      the event as a CloudEvent, as webhooks have it
//
// The outbox's cursor moves when the server has acknowledged every event before it. Events of
// one entity and key are published in their order: the next one of a key is sent when the one
// before is acknowledged. No event is lost if a server cannot be reached, a cluster has no
// leader, or a stream is full: events wait in the outbox. An event that is too large for every
// server is dead.
//
// A missing stream is made. An existing one is the operator's and stays as it is; it has to
// have the subjects.
//
// An embedded server serves hosts of one machine. A program built with the tag nonats is 9 MB
// smaller, and refuses to start one.
package nats
