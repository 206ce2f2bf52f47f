package client_test

import (
	"context"
	"fmt"

	"github.com/frondhost/frond/envelope/client"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
)

// A program beside a host follows its facts, and keeps the position with what it made of them.
func ExampleFacts_Follow() {
	kept := facade.Position(0) // the oldest event that the host has
	host := client.New("http://127.0.0.1:4100", nil)
	err := host.Facts("catalog").Follow(context.Background(), kept, []string{"catalog.productChanged"}, func(events []*facade.Event, resume facade.Position) error {
		for _, e := range events {
			fmt.Println(e.Change, string(e.Key), string(e.Data))
		}
		kept = resume
		return nil
	})
	fmt.Println(kiterror.CodeOf(err))
}
