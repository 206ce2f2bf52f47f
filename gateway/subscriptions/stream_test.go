package subscriptions

import (
	"context"
	"testing"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facts"
)

// pages is a reader with one page of events.
type pages struct {
	events   []*facade.Event
	position facade.Position
	rewound  []facade.Position
}

func (*pages) Notify(func()) {}

func (p *pages) Poll(context.Context) ([]*facade.Event, facade.Position, error) {
	events := p.events
	if p.events = nil; len(events) > 0 {
		p.position = events[len(events)-1].Position
	}
	return events, p.position, nil
}

func (p *pages) Rewind(to facade.Position) { p.rewound, p.position = append(p.rewound, to), to }

func (*pages) Waiting() bool { return true }

func (p *pages) Position() facade.Position { return p.position }

func (*pages) Close() {}

// TestNextBehindSkippedAnswers: where a run skipped every event of a page,
// the reader goes back to where the page begins, and not to the beginning of the log.
func TestNextBehindSkippedAnswers(t *testing.T) {
	all := facts.NewAnswers(nil).Join(nil, func(context.Context, []*facade.Event, func(facade.Position, []byte)) (done int, err error) {
		return 0, nil
	})
	reader := &pages{position: 5, events: []*facade.Event{{Position: 6}}}
	s := &Stream{shared: all, reader: reader, wake: func() {}}
	answers, err := s.Next(t.Context())
	if err != nil || len(answers) > 0 {
		t.Errorf("%v, %v", answers, err)
	}
	if len(reader.rewound) != 1 || reader.rewound[0] != 5 {
		t.Errorf("the reader goes back to %v, and began at 5", reader.rewound)
	}
}
