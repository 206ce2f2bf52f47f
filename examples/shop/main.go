// Command shop is the gateway of this folder with two functions of its own: it sends a mail for
// each order, and cancels old orders that nobody pays. The mails are lines of a file, mails.txt or
// the one that MAIL_FILE names.
//
//	cd examples/shop && go run .
package main

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"os"
	"time"

	"github.com/frondhost/frond"
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
	app := frond.New(site)
	frond.Command(frond.Door[Order](app, "order"), "closeStale", closeStale)
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

// closeStale cancels the orders that nobody has paid for thirty days. The schedule in
// fronds/sales/frond.yaml runs it every night.
func closeStale(ctx context.Context, _ struct{}) (struct{ Closed int }, error) {
	var out struct{ Closed int }
	orders := frond.Inside[Order](ctx)
	for order, err := range orders.All(ctx, frond.Eq("status", "open"), frond.Lt("placedAt", time.Now().AddDate(0, 0, -30))) {
		if err == nil {
			_, err = orders.Update(ctx, order.ID, frond.Set{"status": "cancelled"})
		}
		if err != nil {
			return out, err
		}
		out.Closed++
	}
	return out, nil
}
