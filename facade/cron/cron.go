// Package cron reads lines of cron and says when they are due. A line has five fields:
//
//	minute 0-59 | hour 0-23 | day of the month 1-31 | month 1-12 or jan-dec | day of the week 0-7 or sun-sat
//
// A field is *, a value, a range 1-5, either with a step */15 or 8-18/2, or a list of these
// with commas. Sunday is 0 and 7. Where both days are limited, one of them has to fit, as in
// every cron.
package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Schedule is a line of cron in a time zone. It does not change and may be used from many
// goroutines.
type Schedule struct {
	line   string
	zone   *time.Location
	fields [5]set // by minute, hour, day, month, weekday
}

// set has a bit for each value of a field.
type set uint64

func (s set) has(n int) bool { return s&(1<<n) != 0 }

// The fields of a line.
const (
	minute = iota
	hour
	day
	month
	weekday
)

// field describes the values of one field.
type field struct {
	name        string
	least, most int
	words       []string // of the values from least on
}

var fieldsOf = [5]field{
	minute:  {"minute", 0, 59, nil},
	hour:    {"hour", 0, 23, nil},
	day:     {"day of the month", 1, 31, nil},
	month:   {"month", 1, 12, []string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"}},
	weekday: {"day of the week", 0, 7, []string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}},
}

// all are the values of a field.
func (f *field) all() (s set) {
	for n := f.least; n <= f.most; n++ {
		s |= 1 << n
	}
	return s
}

// Parse reads a line for a time zone. The error is a sentence with the remedy; a line that is
// never due, such as one for the 30th of February, is an error too.
func Parse(line string, zone *time.Location) (*Schedule, error) {
	s := &Schedule{line: line, zone: zone}
	texts := strings.Fields(line)
	if len(texts) != 5 {
		return nil, fmt.Errorf("a line of cron has five fields, and this has %d; write minute, hour, day of the month, month and day of the week: 0 3 * * *", len(texts))
	}
	for i, text := range texts {
		for item := range strings.SplitSeq(text, ",") {
			values, err := fieldsOf[i].read(item)
			if err != nil {
				return nil, err
			}
			s.fields[i] |= values
		}
	}
	if s.fields[weekday].has(7) {
		s.fields[weekday] |= 1
	}
	if s.Next(time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf("no month of this line has such a day: it is never due; write 28")
	}
	return s, nil
}

// read reads one item of a list: *, a value or a range, with a step or without.
func (f *field) read(item string) (values set, err error) {
	span, step, isStepped := strings.Cut(item, "/")
	first, last, isRange := strings.Cut(span, "-")
	from, to, by := f.least, f.most, 1
	ok := span == "*"
	if !ok {
		from, ok = f.value(first)
		to = from
	}
	if isRange && ok {
		to, ok = f.value(last)
	}
	if isStepped {
		by, err = strconv.Atoi(step)
		ok = ok && err == nil && (span == "*" || isRange)
	}
	switch {
	case !ok:
		example := fmt.Sprintf("%d-%d", f.least, f.most)
		if f.words != nil {
			example += " or " + f.words[0] + "-" + f.words[len(f.words)-1]
		}
		return 0, fmt.Errorf("the field %s has *, a value of %s, a range, either with a step, or a list of these with commas: *, %d, %d-%d, */2", f.name, example, f.least+1, f.least+1, f.least+4)
	case from > to:
		return 0, fmt.Errorf("a range of the field %s ends before it begins; write two ranges: %d-%d,%d-%d", f.name, from, f.most, f.least, to)
	case by < 1 || by > f.most-f.least:
		return 0, fmt.Errorf("a step of the field %s is from 1 to %d; leave it out, or write a smaller one", f.name, f.most-f.least)
	}
	for n := from; n <= to; n += by {
		values |= 1 << n
	}
	return values, nil
}

// value is a number or a word of the field.
func (f *field) value(text string) (int, bool) {
	if i := slices.Index(f.words, strings.ToLower(text)); i >= 0 {
		return f.least + i, true
	}
	n, err := strconv.Atoi(text)
	return n, err == nil && n >= f.least && n <= f.most && text[0] != '+' && text[0] != '-'
}

// String is the line and the zone.
func (s *Schedule) String() string { return s.line + " " + s.zone.String() }
