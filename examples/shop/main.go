// Command shop is the gateway of this folder with one function of its own: it sends a mail for
// each order. The mails are lines of a file, mails.txt or what MAIL_FILE names.
//
//	cd examples/shop && go run .
package main

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"os"

	"github.com/frondhost/frond"
	"github.com/frondhost/frond/gateway/extra/all"
)

//go:embed gateway.yaml fronds
var site embed.FS

// Order is a row of fronds/sales/entities/order.yaml, as far as a mail needs it.
type Order struct {
	ID, Reference, CustomerID string
	Subtotal, Shipping        int
}

// Customer is a row of fronds/sales/entities/customer.yaml.
type Customer struct{ ID, Name, Email string }

func main() { frond.Main(newApp(cmp.Or(os.Getenv("MAIL_FILE"), "mails.txt"))) }

// newApp is the shop with a mailer that writes to a file.
func newApp(mails string) *frond.App {
	app := frond.New(site, frond.With(all.Extras()...)) // PostgreSQL, NATS, S3, spans and metrics, for whoever sets them
	frond.Door[Order](app, "order")
	frond.Door[Customer](app, "customer")
	outbox := &mailbox{path: mails}
	frond.OnFact(app, "orderPlaced", func(ctx context.Context, e *frond.Event[Order]) error {
		customer, err := frond.Inside[Customer](ctx).Find(ctx, e.Data.CustomerID)
		if err != nil {
			return err
		}
		order := e.Data
		return outbox.send(e.ID, fmt.Sprintf("to=%s order=%s total=%d.%02d", customer.Email, order.Reference, (order.Subtotal+order.Shipping)/100, (order.Subtotal+order.Shipping)%100))
	}, frond.Named("orderMail"))
	return app
}
