package sample

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/frondhost/frond/schema"
)

// Subject is what one row is about: its fields agree, since all of them ask it. A person
// called Ada Bauer has the email ada.bauer@example.org. It is immutable.
type Subject struct {
	kind        subjectKind
	first, last string
	company     string
	place       place
	street      string
	adjective   string
	noun        string
	topic       string
	began       time.Time // when the row came to be
}

// subjectKind is the kind of thing that a row represents. It decides the form of the name.
type subjectKind int

const (
	aThing subjectKind = iota
	aPerson
	aCompany
	aPlace
	aText // a text: a post, a review
)

// kindOf derives from an entity's name the kind of its rows. The first line with one of its
// words counts; an entity without any of the words is a thing.
func kindOf(entity string) subjectKind {
	n := NewName(entity)
	switch {
	case n.has("user customer person people author member employee contact patient student teacher guest owner driver player artist client account profile staff agent reader writer doctor"):
		return aPerson
	case n.has("company supplier vendor brand organisation organization team carrier publisher manufacturer partner merchant tenant"):
		return aCompany
	case n.has("city town country place location warehouse store shop venue address region station site"):
		return aPlace
	case n.has("post article review comment note message ticket issue question answer page story news announcement task event"):
		return aText
	}
	return aThing
}

// horizon is a moment after all rows, except their due dates. It is fixed: the same seed makes
// the same rows tomorrow.
var horizon = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// NewSubject draws the subject of a row. All members are drawn for every kind: a thing has a
// maker and a place too. The row's creation is between 40 and 360 days before the horizon.
func NewSubject(entity string, r *rand.Rand) *Subject {
	return &Subject{
		kind:      kindOf(entity),
		first:     Pick(r, firstNames),
		last:      Pick(r, lastNames),
		company:   Pick(r, lastNames) + " " + Pick(r, companyForms),
		place:     Pick(r, places),
		street:    Pick(r, streets),
		adjective: Pick(r, adjectives),
		noun:      Pick(r, nouns),
		topic:     Pick(r, topics),
		began:     horizon.Add(-40*24*time.Hour - time.Duration(r.Int64N(int64(320*24*time.Hour)))).Truncate(time.Millisecond),
	}
}

// name is the title or name of the row.
func (s *Subject) name() string {
	switch s.kind {
	case aPerson:
		return s.first + " " + s.last
	case aCompany:
		return s.company
	case aPlace:
		return s.place.city
	case aText:
		return s.topic
	}
	return s.thing()
}

// thing returns the name of a product: "Copper kettle".
func (s *Subject) thing() string { return s.adjective + " " + s.noun }

// stages are the words of moments in the order of the moments. Other words are in the middle.
var stages = []string{
	"created registered joined placed ordered opened submitted added since received born from",
	"confirmed approved accepted signed verified activated",
	"paid published posted released charged",
	"packed dispatched shipped sent",
	"delivered arrived completed finished done resolved fulfilled read",
	"closed cancelled canceled archived deleted retired returned refunded",
	"updated modified changed edited touched seen login",
	"start starts begin begins",
	"end ends until to",
	"due expires expiry valid renewal renews",
}

// moment returns when the moment of this name was: later stages of a row come later, a day and
// two hours each, and a part of a day by chance.
func (m *Maker) moment(name Name) time.Time {
	if name.has("birth birthday born dob") {
		return time.Date(1945+m.IntN(60), time.Month(1+m.IntN(12)), 1+m.IntN(28), 0, 0, 0, 0, time.UTC)
	}
	// The middle, for a moment without a stage.
	stage := 4
	for i, words := range stages {
		if name.has(words) {
			stage = i
			break
		}
	}
	at := m.About.began
	if stage > 0 {
		at = at.Add(time.Duration(stage) * 26 * time.Hour).Add(time.Duration(m.Int64N(int64(24*time.Hour/time.Millisecond))) * time.Millisecond)
	} else if m.Unique && m.Try > 0 {
		at = at.Add(-time.Duration(m.IntN(1_000_000)) * time.Second)
	}
	// A due date is a month after the others.
	if name.has(stages[len(stages)-1]) {
		at = at.AddDate(0, 1, 0)
	}
	return at
}

// millis returns a moment as milliseconds since 1970, for a name that means one: it ends in at
// or timestamp.
func (m *Maker) millis(name Name) (*big.Rat, bool) {
	if !name.ends("at timestamp") {
		return nil, false
	}
	return big.NewRat(m.moment(name).UnixMilli(), 1), true
}

// slug returns a text as a part of a path: letters, digits and hyphens. Letters beyond ASCII
// are dropped: "Rhône" is rhne.
func slug(text string) string {
	plain := strings.Map(func(r rune) rune {
		if r > 127 {
			return -1
		}
		return r
	}, text)
	return schema.Kebab(plain)
}
