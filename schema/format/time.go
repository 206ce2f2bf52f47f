package format

import (
	"strings"
	"time"
)

// ParseZone returns the time zone of a name of the IANA database; "" is UTC. Local is no zone, since it is
// another one on each machine.
func ParseZone(name string) (*time.Location, bool) {
	zone, err := time.LoadLocation(name)
	return zone, err == nil && !strings.EqualFold(name, "local")
}

// ParseDateTime reads a date-time (RFC 3339) as UTC, with the rules of the judge: T and the
// zone of either case; any number of decimals, of which nine count; a leap second where UTC has
// one (taken as the next second); and a year that in UTC too stays within 0000 to 9999.
func ParseDateTime(s string) (time.Time, bool) {
	if len(s) < len("2006-01-02T15:04:05Z") || s[10] != 'T' && s[10] != 't' || !isDate(s[:10]) {
		return time.Time{}, false
	}
	year, _ := digits(s[:4])
	month, _ := digits(s[5:7])
	day, _ := digits(s[8:10])
	t, ok := parseTime(s[11:], year, time.Month(month), day)
	return t, ok && t.Year() >= 0 && t.Year() <= 9999
}

// isTime says whether s is a full-time of RFC 3339.
func isTime(s string) bool {
	_, ok := parseTime(s, 2000, time.January, 2)
	return ok
}

// parseTime reads a full-time of RFC 3339 on a day, as UTC. A leap second is one at
// 23:59:60 in UTC, and taken as the second after it.
func parseTime(s string, year int, month time.Month, day int) (time.Time, bool) {
	if len(s) < len("15:04:05Z") {
		return time.Time{}, false
	}
	h, ok1 := digits(s[:2])
	m, ok2 := digits(s[3:5])
	sec, ok3 := digits(s[6:8])
	if !ok1 || !ok2 || !ok3 || s[2] != ':' || s[5] != ':' || h > 23 || m > 59 || sec > 60 {
		return time.Time{}, false
	}
	rest, nanos := s[8:], 0
	if rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 1 {
			return time.Time{}, false
		}
		for i := 1; i <= 9; i++ {
			nanos *= 10
			if i < n {
				nanos += int(rest[i] - '0')
			}
		}
		rest = rest[n:]
	}
	offset, ok := zone(rest)
	if !ok {
		return time.Time{}, false
	}
	t := time.Date(year, month, day, h, m, min(sec, 59), nanos, time.UTC).Add(-offset)
	if sec == 60 {
		if t.Hour() != 23 || t.Minute() != 59 {
			return time.Time{}, false
		}
		t = t.Add(time.Second)
	}
	return t, true
}

// zone is the time-offset of RFC 3339: Z, or a sign, hours and minutes.
func zone(s string) (time.Duration, bool) {
	if s == "Z" || s == "z" {
		return 0, true
	}
	if len(s) != 6 || s[0] != '+' && s[0] != '-' || s[3] != ':' {
		return 0, false
	}
	h, ok1 := digits(s[1:3])
	m, ok2 := digits(s[4:6])
	if !ok1 || !ok2 || h > 23 || m > 59 {
		return 0, false
	}
	offset := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if s[0] == '-' {
		offset = -offset
	}
	return offset, true
}

// isDate says whether s is a full-date of RFC 3339.
func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// isDuration says whether s is a duration of RFC 3339, appendix A: weeks alone, or years to
// days and hours to seconds, without a gap between two of them.
func isDuration(s string) bool {
	s, ok := strings.CutPrefix(s, "P")
	if weeks, is := strings.CutSuffix(s, "W"); is {
		return ok && allDigits(weeks)
	}
	date, clock, timed := strings.Cut(s, "T")
	return ok && (date != "" || timed) && (date == "" || run(date, "YMD")) && (!timed || run(clock, "HMS"))
}

// run says whether s is numbers with units that follow one another in units.
func run(s, units string) bool {
	last := -1
	for s != "" {
		n := strings.IndexAny(s, units)
		if n < 1 || !allDigits(s[:n]) {
			return false
		}
		at := strings.IndexByte(units, s[n])
		if last >= 0 && at != last+1 {
			return false
		}
		last, s = at, s[n+1:]
	}
	return last >= 0
}
