package storetest

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/aggregate"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// group answers a find with Group: the rows that meet it are put into groups by the texts of their
// keys, and each group becomes a row of its columns, which is filtered, sorted and cut as rows are.
func (s *Store) group(q *facade.Find, met []*row) (*facade.Found, error) {
	if q.Each == nil {
		cut, more, err := s.groupsOf(q, met)
		if err != nil {
			return nil, err
		}
		return s.foundGroups(q, cut, more, []facade.FoundGroup{{To: len(cut)}}), nil
	}
	var all []*row
	var groups []facade.FoundGroup
	for _, of := range s.ofKeys(q, met) {
		cut, more, err := s.groupsOf(q, of)
		if err != nil {
			return nil, err
		}
		if len(of) == 0 {
			cut, more = nil, false // a key without rows has no groups
		}
		groups = append(groups, facade.FoundGroup{From: len(all), To: len(all) + len(cut), Total: -1, More: more})
		all = append(all, cut...)
	}
	found := s.foundGroups(q, all, false, groups)
	found.Groups = groups
	return found, nil
}

// foundGroups are groups as a store answers them. One group has no place in an order.
func (s *Store) foundGroups(q *facade.Find, cut []*row, more bool, groups []facade.FoundGroup) *facade.Found {
	found := &facade.Found{Rows: write(q.Select, cut), Total: -1, More: more}
	if len(q.Sort) > 0 {
		found.Keys = s.keys(q, cut, groups)
	}
	return found
}

// groupsOf are the groups of rows, a page of them.
func (s *Store) groupsOf(q *facade.Find, met []*row) (cut []*row, more bool, err error) {
	g := q.Group
	members := map[string][]*row{}
	var order []string
	if g.Keys == 0 {
		members[""], order = met, []string{""}
	}
	for _, r := range met {
		if g.Keys == 0 {
			break
		}
		var text []string
		for i := range g.Keys {
			text = append(text, string(keyOf(&g.Columns[i], r.of[g.Columns[i].Of.Name], g.Zone)))
		}
		key := strings.Join(text, ",")
		if members[key] == nil {
			order = append(order, key)
		}
		members[key] = append(members[key], r)
	}
	var groups []*row
	for _, key := range order {
		of := map[string]json.RawMessage{}
		for i := range g.Columns {
			c := &g.Columns[i]
			if i < g.Keys {
				of[c.As.Name] = keyOf(c, members[key][0].of[c.Of.Name], g.Zone)
				continue
			}
			value, err := aggregated(c, members[key])
			if err != nil {
				return nil, false, err
			}
			of[c.As.Name] = value
		}
		if r := (&row{of}); s.holds(g.Having, r) {
			groups = append(groups, r)
		}
	}
	slices.SortStableFunc(groups, func(a, b *row) int { return s.compareRows(q.Sort, a, b) })
	cut, _, more = s.page(q, groups)
	return cut, more, nil
}

// keyOf is the key of a value: itself, a decimal without zeros at its end, or the first day of a
// period.
func keyOf(c *aggregate.Column, value json.RawMessage, zone *time.Location) json.RawMessage {
	if jsontext.IsNull(value) {
		return value
	}
	if c.Unit == aggregate.Value {
		if c.Of.Kind != schema.KindDecimal {
			return value
		}
		text := jsontext.Unquote(value)
		if strings.Contains(text, ".") {
			text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		}
		digits := strings.TrimLeft(strings.TrimPrefix(text, "-"), "0")
		if digits == "" || digits[0] == '.' {
			digits = "0" + digits
		}
		if strings.HasPrefix(text, "-") && digits != "0" {
			digits = "-" + digits
		}
		return jsontext.Quote(digits)
	}
	day, _ := time.Parse(time.DateOnly, jsontext.Unquote(value))
	if c.Of.Kind == schema.KindDateTime {
		local := moment(jsontext.Unquote(value)).In(zone)
		if c.Unit == aggregate.Hour {
			begin := local.Add(-time.Duration(local.Minute()*60+local.Second())*time.Second - time.Duration(local.Nanosecond()))
			return jsontext.Quote(begin.UTC().Format("2006-01-02T15:04:05.000Z"))
		}
		day = time.Date(local.Year(), local.Month(), local.Day(), 0, 0, 0, 0, time.UTC)
	}
	switch c.Unit {
	case aggregate.Week:
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case aggregate.Month:
		day = day.AddDate(0, 0, 1-day.Day())
	case aggregate.Quarter:
		day = time.Date(day.Year(), (day.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case aggregate.Year:
		day = time.Date(day.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return jsontext.Quote(day.Format(time.DateOnly))
}

// aggregated is an aggregate of rows.
func aggregated(c *aggregate.Column, of []*row) (json.RawMessage, error) {
	if c.Of == nil {
		return json.RawMessage(strconv.Itoa(len(of))), nil
	}
	var values []json.RawMessage
	for _, r := range of {
		if v := r.of[c.Of.Name]; !jsontext.IsNull(v) {
			values = append(values, v)
		}
	}
	compare := func(a, b json.RawMessage) int { return compareTexts(c.Of, a, b) }
	switch {
	case c.Func == aggregate.CountDistinct:
		slices.SortFunc(values, compare)
		return json.RawMessage(strconv.Itoa(len(slices.CompactFunc(values, func(a, b json.RawMessage) bool { return compare(a, b) == 0 })))), nil
	case len(values) == 0:
		return json.RawMessage("null"), nil
	case c.Func == aggregate.Min:
		return slices.MinFunc(values, compare), nil
	case c.Func == aggregate.Max:
		return slices.MaxFunc(values, compare), nil
	}
	return added(c, values)
}

// added is the sum or the average of numbers, in fractions.
func added(c *aggregate.Column, values []json.RawMessage) (json.RawMessage, error) {
	sum, places := new(big.Rat), 0
	for _, v := range values {
		text := string(v)
		if c.Of.Kind == schema.KindDecimal {
			text = jsontext.Unquote(v)
			_, fraction, _ := strings.Cut(text, ".")
			places = max(places, len(fraction))
		}
		if n, ok := new(big.Rat).SetString(text); ok {
			sum.Add(sum, n)
		}
	}
	if c.Func == aggregate.Avg && c.Of.Kind == schema.KindDecimal {
		sum.Quo(sum, new(big.Rat).SetInt64(int64(len(values))))
		places += 6
	}
	switch c.Of.Kind {
	case schema.KindDecimal:
		text := sum.FloatString(places)
		if strings.Trim(text, "-0.") == "" {
			text = strings.TrimPrefix(text, "-")
		}
		return jsontext.Quote(text), nil
	case schema.KindInteger:
		if c.Func == aggregate.Sum {
			if !sum.Num().IsInt64() && c.Capped {
				return json.RawMessage(strconv.FormatInt(int64(sum.Sign())*math.MaxInt64, 10)), nil
			}
			if !sum.Num().IsInt64() {
				return nil, kiterror.SumOverflow()
			}
			return json.RawMessage(sum.Num().String()), nil
		}
	}
	f, _ := sum.Float64()
	if c.Func == aggregate.Avg {
		f /= float64(len(values))
	}
	if math.IsInf(f, 0) {
		return nil, kiterror.SumOverflow()
	}
	return jsontext.Marshal(f)
}
