package resolvers

import (
	"context"
	"time"

	"github.com/frondhost/frond/facade/budget"
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/resolvers/validation"
)

// Limits bound the cost of one request (docs/graphql.md). Zero means the default, which each
// field's comment gives; a negative value means no limit.
type Limits struct {
	Document  int           // bytes of the document: 64 KiB
	Tokens    int           // 5,000
	Depth     int           // depth of nested fields: 15. Introspection counts by itself, up to twice that
	Aliases   int           // 30
	Roots     int           // root fields: 20
	Fields    int           // fields, those of a fragment counted wherever it is spread: 3,500
	Expanded  int           // what those come to with arguments, values, directives and spreads: 10,000
	Execution time.Duration // 15 s
	Response  int           // bytes of the answer: 64 MiB
}

// DefaultLimits returns the limits that a zero [Limits] means.
func DefaultLimits() Limits { return Limits{}.withDefaults() }

func (l Limits) withDefaults() Limits {
	set := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	set(&l.Document, 64<<10)
	set(&l.Tokens, 5000)
	set(&l.Depth, 15)
	set(&l.Aliases, 30)
	set(&l.Roots, 20)
	set(&l.Fields, 3500)
	set(&l.Expanded, 10000)
	set(&l.Response, 64<<20)
	if l.Execution == 0 {
		l.Execution = 15 * time.Second
	}
	return l
}

func (l *Limits) deadline(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Execution < 0 {
		return context.WithCancel(ctx)
	}
	return budget.Within(ctx, l.Execution, language.ErrTimeout)
}

// document are the limits that a document is measured against.
func (l *Limits) document() validation.Limits {
	return validation.Limits{Depth: l.Depth, Aliases: l.Aliases, Roots: l.Roots, Fields: l.Fields, Expanded: l.Expanded}
}
