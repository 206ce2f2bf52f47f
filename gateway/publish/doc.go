// Package publish sends facts to webhooks, and to JetStream of NATS where a program links it. It reads
// their settings and runs them over the outbox.
//
//	webhooks:
//	  - {name: billing, url: https://billing.example/hooks, facts: [orderPlaced], secret: env:BILLING_SECRET}
//	facts:
//	  nats: nats://broker:4222
//
// # A webhook
//
// Events leave as CloudEvents 1.0 in structured JSON, signed as Standard Webhooks says:
//
//	POST /hooks
//	Content-Type: application/cloudevents+json; charset=utf-8
//	Webhook-Id: 019a…                 the event's id, the same in every attempt
//	Webhook-Timestamp: 1700000000     of the attempt
//	Webhook-Signature: v1,base64…     one for each secret
//
//	{"specversion":"1.0","id":"019a…","type":"shop.orderPlaced",…,"data":{…}}
//
// The answer decides:
//
//	2xx              delivered
//	410              the receiver wants no more: the webhook stops
//	429, 503         as below; with Retry-After only after that time
//	anything else    the event is sent again, up to 22 times within a day, then it is dead
//
// Events of one entity and key are delivered in their order: while one of them is tried again,
// the later ones wait, and all others go on. Failed events are kept in the store, so that the
// cursor moves on.
//
// The address of every connection is checked after the name was resolved, and when the
// connection is made: loopback, private, link-local and other special addresses are refused
// unless [Webhook.Allow] names them, and so is http:// to any address it does not name. No proxy
// is used and no redirect is followed.
//
// NATS is package gateway/nats, for programs that publish there.
package publish
