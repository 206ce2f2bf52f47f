// Package publish is what a gateway sends facts to without being asked: webhooks, and JetStream
// of NATS. It reads their settings and runs them over the outbox.
//
//	webhooks:
//	  - {name: billing, url: https://billing.example/hooks, facts: [orderPlaced], secret: env:BILLING_SECRET}
//	facts:
//	  nats: nats://broker:4222
//
// What is sent, and what is promised, is in facts/webhook and facts/nats.
package publish
