package cron

import "time"

// maxYears is longer than any line is not due: the 29th of February of 2096 is followed by the one
// of 2104.
const maxYears = 9

// Next returns the first moment after a time at which the schedule is due, or the zero time.
//
// A time of day that the zone leaves out, when clocks go forward, is due at the moment of the
// change. A time that comes twice, when clocks go back, is due at its first coming, except in a
// schedule of every hour, which goes on by elapsed time.
func (s *Schedule) Next(after time.Time) time.Time {
	t := after.Truncate(time.Minute).Add(time.Minute).In(s.zone)
	for end := t.AddDate(maxYears, 0, 0); t.Before(end); {
		since, until := t.ZoneBounds()
		forward := time.Duration(0) // that clocks went at since; negative: back
		if !since.IsZero() {
			forward = offset(t) - offset(since.Add(-time.Second))
		}
		if forward > 0 && t.Equal(since) && s.dueWithin(t, forward) {
			return t
		}
		next := t.Add(s.wait(t))
		if next.Equal(t) {
			if again := t.Sub(since) < -forward; !again || s.fields[hour] == fieldsOf[hour].all() {
				return t
			}
			next = t.Add(time.Minute)
		}
		if !until.IsZero() && next.After(until) {
			next = until // a time that the zone leaves out there may be due
		}
		t = next.In(s.zone)
	}
	return time.Time{}
}

// wait is how long it is until the time of day, as clocks without changes have it, may be due; 0: t is.
func (s *Schedule) wait(t time.Time) time.Duration {
	h, m := t.Hour(), t.Minute()
	switch {
	case !s.onDay(t):
		return time.Duration(24*60-h*60-m) * time.Minute
	case !s.fields[hour].has(h):
		return time.Duration(60-m) * time.Minute
	case !s.fields[minute].has(m):
		return time.Minute
	}
	return 0
}

// onDay reports whether the day of t is one of the schedule's. Where the days of the month and of
// the week are both limited, either is enough.
func (s *Schedule) onDay(t time.Time) bool {
	if !s.fields[month].has(int(t.Month())) {
		return false
	}
	byMonth, byWeek := s.fields[day].has(t.Day()), s.fields[weekday].has(int(t.Weekday()))
	isDayLimited, isWeekLimited := s.fields[day] != fieldsOf[day].all(), s.fields[weekday]|1<<7 != fieldsOf[weekday].all()
	if isDayLimited && isWeekLimited {
		return byMonth || byWeek
	}
	return byMonth && byWeek
}

// dueWithin reports whether the schedule is due at a time of day that the clocks skipped when they
// went forward to t.
func (s *Schedule) dueWithin(t time.Time, forward time.Duration) bool {
	clock := t.Add(offset(t)).UTC() // with the time of day of t
	for at := clock.Add(-forward); at.Before(clock); at = at.Add(time.Minute) {
		if s.wait(at) == 0 {
			return true
		}
	}
	return false
}

// offset is the difference of the zone's clocks to UTC.
func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}
