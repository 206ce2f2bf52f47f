package cron_test

import (
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/frondhost/frond/facade/cron"
)

// zoned is a time zone by its name.
func zoned(t *testing.T, name string) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestNext: the times at which lines are due, those of changes of clocks among them.
func TestNext(t *testing.T) {
	for _, test := range []struct {
		name, line, zone, after string
		want                    []string
	}{
		{"every day", "0 3 * * *", "Europe/Paris", "2026-11-27T10:00:00Z", []string{"2026-11-28T03:00:00+01:00", "2026-11-29T03:00:00+01:00"}},
		{"strictly after", "0 3 * * *", "UTC", "2026-11-27T03:00:00Z", []string{"2026-11-28T03:00:00Z"}},
		{"within the minute", "* * * * *", "UTC", "2026-11-27T03:00:59.9Z", []string{"2026-11-27T03:01:00Z", "2026-11-27T03:02:00Z"}},
		{"steps and lists", "*/20,50 8-10/2 * * *", "UTC", "2026-11-27T08:30:00Z", []string{"2026-11-27T08:40:00Z", "2026-11-27T08:50:00Z", "2026-11-27T10:00:00Z"}},
		{"days of the week", "30 12 * * mon-Fri", "UTC", "2026-11-27T13:00:00Z", []string{"2026-11-30T12:30:00Z", "2026-12-01T12:30:00Z"}},
		{"Sunday is 0 and 7", "0 0 * * 7", "UTC", "2026-11-27T00:00:00Z", []string{"2026-11-29T00:00:00Z", "2026-12-06T00:00:00Z"}},
		{"all days of the week by numbers are not limited", "0 0 1 * 0-6", "UTC", "2026-11-27T00:00:00Z", []string{"2026-12-01T00:00:00Z", "2027-01-01T00:00:00Z"}},
		{"one of both days", "0 0 13 * fri", "UTC", "2026-11-05T00:00:00Z", []string{"2026-11-06T00:00:00Z", "2026-11-13T00:00:00Z", "2026-11-20T00:00:00Z", "2026-11-27T00:00:00Z", "2026-12-04T00:00:00Z", "2026-12-11T00:00:00Z", "2026-12-13T00:00:00Z"}},
		{"the last of months", "0 0 31 * *", "UTC", "2026-08-31T00:00:00Z", []string{"2026-10-31T00:00:00Z", "2026-12-31T00:00:00Z", "2027-01-31T00:00:00Z"}},
		{"leap days over a century", "0 0 29 feb *", "UTC", "2092-03-01T00:00:00Z", []string{"2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"}},
		{"a time that is left out is the moment after", "30 2 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:30:00+02:00"}},
		{"times that are left out are one", "*/15 2 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", []string{"2026-03-29T03:00:00+02:00", "2026-03-30T02:00:00+02:00"}},
		{"a time that is left out and the moment after are one", "30 2,3 * * *", "Europe/Paris", "2026-03-28T12:00:00Z", []string{"2026-03-29T03:00:00+02:00", "2026-03-29T03:30:00+02:00"}},
		{"another day's left out time is not due", "30 2 * * mon", "Europe/Paris", "2026-03-28T12:00:00Z", []string{"2026-03-30T02:30:00+02:00"}},
		{"a time that comes twice is due once", "30 2 * * *", "Europe/Paris", "2026-10-24T12:00:00Z", []string{"2026-10-25T02:30:00+02:00", "2026-10-26T02:30:00+01:00"}},
		{"the second coming is not due", "30 2 * * *", "Europe/Paris", "2026-10-25T00:45:00Z", []string{"2026-10-26T02:30:00+01:00"}},
		{"times after the second coming", "*/30 2,3 * * *", "Europe/Paris", "2026-10-24T23:00:00Z", []string{"2026-10-25T02:00:00+02:00", "2026-10-25T02:30:00+02:00", "2026-10-25T03:00:00+01:00"}},
		{"every hour goes on by elapsed time", "15 * * * *", "Europe/Paris", "2026-10-24T23:50:00Z", []string{"2026-10-25T02:15:00+02:00", "2026-10-25T02:15:00+01:00", "2026-10-25T03:15:00+01:00"}},
		{"every hour over a left out one", "15 * * * *", "Europe/Paris", "2026-03-29T00:00:00Z", []string{"2026-03-29T01:15:00+01:00", "2026-03-29T03:00:00+02:00", "2026-03-29T03:15:00+02:00"}},
		{"half an hour forward", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00:00Z", []string{"2026-10-04T02:30:00+11:00", "2026-10-05T02:15:00+11:00"}},
		{"half an hour back", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00:00Z", []string{"2026-04-05T01:45:00+11:00", "2026-04-06T01:45:00+10:30"}},
		{"midnight is left out", "0 0 * * *", "Africa/Cairo", "2026-04-23T12:00:00Z", []string{"2026-04-24T01:00:00+03:00", "2026-04-25T00:00:00+03:00"}},
		{"a day that is left out", "0 12 30 12 *", "Pacific/Apia", "2011-12-20T00:00:00Z", []string{"2011-12-31T00:00:00+14:00", "2012-12-30T12:00:00+14:00"}},
		{"south of the equator", "30 2 * * *", "America/Santiago", "2026-09-05T12:00:00Z", []string{"2026-09-06T02:30:00-03:00"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := cron.Parse(test.line, zoned(t, test.zone))
			if err != nil {
				t.Fatal(err)
			}
			at, err := time.Parse(time.RFC3339Nano, test.after)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range test.want {
				if at = s.Next(at); at.Format(time.RFC3339) != want {
					t.Fatalf("number %d is %s, want %s", i, at.Format(time.RFC3339), want)
				}
			}
		})
	}
}

// TestNextAgainstEveryMinute: over a year of several zones, Next gives the same as a look at every
// minute that there is, by another reading of each line.
func TestNextAgainstEveryMinute(t *testing.T) {
	lines := map[string]func(at time.Time) bool{
		"17 4 * * *":     func(at time.Time) bool { return at.Minute() == 17 && at.Hour() == 4 },
		"*/7 23 * * *":   func(at time.Time) bool { return at.Minute()%7 == 0 && at.Hour() == 23 },
		"5 0-3 1,15 * *": func(at time.Time) bool { return at.Minute() == 5 && at.Hour() < 4 && (at.Day() == 1 || at.Day() == 15) },
		"0 2 * 2-4 sun": func(at time.Time) bool {
			return at.Minute() == 0 && at.Hour() == 2 && at.Month() >= 2 && at.Month() <= 4 && at.Weekday() == time.Sunday
		},
	}
	for _, name := range []string{"Europe/Paris", "Australia/Lord_Howe", "Africa/Cairo"} {
		zone := zoned(t, name)
		for line, fits := range lines {
			s, err := cron.Parse(line, zone)
			if err != nil {
				t.Fatal(err)
			}
			at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			next := s.Next(at)
			// shown is the latest time of day that the clock of the zone has shown or left out, as
			// if it was of UTC.
			clockAt := func(at time.Time) time.Time {
				_, offset := at.In(zone).Zone()
				return at.Add(time.Duration(offset) * time.Second)
			}
			shown := clockAt(at)
			for at = at.Add(time.Minute); at.Year() == 2026; at = at.Add(time.Minute) {
				isDue := false
				for clock := clockAt(at); shown.Before(clock); {
					shown = shown.Add(time.Minute)
					isDue = isDue || fits(shown)
				}
				if isDue != next.Equal(at) {
					t.Fatalf("%s in %s: Next says %s, and at %s it is due: %v", line, name, next, at.In(zone), isDue)
				}
				if isDue {
					next = s.Next(at)
				}
			}
		}
	}
}

// TestParse: a line that is none is refused with the remedy.
func TestParse(t *testing.T) {
	for line, want := range map[string]string{
		"":               "this has 0",
		"@daily":         "write minute, hour",
		"0 0 3 * * *":    "has five fields, and this has 6",
		"60 * * * *":     "the field minute has *, a value of 0-59",
		"* 24 * * *":     "the field hour",
		"* * 0 * *":      "the field day of the month",
		"* * * 13 *":     "a value of 1-12 or jan-dec",
		"* * * * 8":      "a value of 0-7 or sun-sat",
		"* * * mon *":    "the field month",
		"-1 * * * *":     "the field minute",
		"+1 * * * *":     "the field minute",
		"1- * * * *":     "the field minute",
		"5/10 * * * *":   "the field minute",
		"1,,2 * * * *":   "the field minute",
		"* 22-2 * * *":   "write two ranges: 22-23,0-2",
		"*/0 * * * *":    "from 1 to 59",
		"*/60 * * * *":   "from 1 to 59",
		"0 0 31 feb *":   "never due",
		"0 0 30-31 2 *":  "never due",
		"0 0 31 4,6,9 *": "never due",
	} {
		if _, err := cron.Parse(line, time.UTC); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
	for _, line := range []string{"0 0 31 feb mon", "0 0 29 2 *", "* * * * *", " 0\t3 * * * "} {
		if _, err := cron.Parse(line, time.UTC); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}
