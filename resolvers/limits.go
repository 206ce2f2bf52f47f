package resolvers

import (
	"cmp"
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
	l.Document = cmp.Or(l.Document, 64<<10)
	l.Tokens = cmp.Or(l.Tokens, 5000)
	l.Depth = cmp.Or(l.Depth, 15)
	l.Aliases = cmp.Or(l.Aliases, 30)
	l.Roots = cmp.Or(l.Roots, 20)
	l.Fields = cmp.Or(l.Fields, 3500)
	l.Expanded = cmp.Or(l.Expanded, 10000)
	l.Execution = cmp.Or(l.Execution, 15*time.Second)
	l.Response = cmp.Or(l.Response, 64<<20)
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
