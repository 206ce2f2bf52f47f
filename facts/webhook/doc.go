// Package webhook sends events to the URLs of other programs, as CloudEvents 1.0 in structured
// JSON, signed as Standard Webhooks says.
//
//	hook, err := webhook.New(webhook.Config{
//		Name: "billing", URL: "https://billing.example/hooks", Secrets: []webhook.Secret{secret},
//	})
//	err = hook.Run(ctx, &delivery.Consumer{Name: "webhook:billing", Facts: []string{"shop.orderPlaced"}, …})
//
// # What a receiver gets
//
//	POST /hooks
//	Content-Type: application/cloudevents+json; charset=utf-8
//	Webhook-Id: 019a…                 the event's id, the same in every attempt
//	Webhook-Timestamp: 1700000000     of the attempt
//	Webhook-Signature: v1,base64…     one for each secret
//
//	{"specversion":"1.0","id":"019a…","type":"shop.orderPlaced",…,"data":{…}}
//
// # What the answer means
//
//	2xx              delivered
//	410              the receiver wants no more: the webhook stops
//	429, 503         as below; with Retry-After nothing is sent before then
//	anything else    the event is sent again, up to 22 times within a day, then it is dead
//
// Events of one entity and key are delivered in their order: while one of them is tried again,
// the later ones wait, and all others go on. Failed events are kept in the store, so that the
// cursor moves on.
//
// # Where it connects to
//
// The address of every connection is checked after the name was resolved, and when the
// connection is made: loopback, private, link-local and other special addresses are refused
// unless [Config.Allow] names them, and so is http:// to any address it does not name. No proxy
// is used and no redirect is followed.
package webhook
