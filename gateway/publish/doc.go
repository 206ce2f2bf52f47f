// Package publish sends facts to webhooks and to JetStream of NATS. It reads their settings
// and runs them over the outbox.
//
//	webhooks:
//	  - {name: billing, url: https://billing.example/hooks, facts: [orderPlaced], secret: env:BILLING_SECRET}
//	facts:
//	  nats: nats://broker:4222
//
// The packages facts/webhook and facts/nats document the messages and the guarantees.
package publish
