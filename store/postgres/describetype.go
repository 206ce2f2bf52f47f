package postgres

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/frondhost/frond/store/dbschema"
)

// column describes a column. Checks of its domain that a card cannot say become the table's.
func (c *columnRow) column(types map[string]*typeRow, t *dbschema.Table) dbschema.Column {
	out := dbschema.Column{Name: c.Name, NotNull: c.NotNull && !t.View, Default: text(c.Default), Comment: text(c.Comment)}
	switch {
	case c.Identity == "a", c.Generated != "":
		out.Fill = dbschema.FillAlways
	case c.Identity == "d", c.Default != nil:
		out.Fill = dbschema.FillDefault
	}
	out.Type = dbschema.Type{Name: c.Type}
	oid, mod := c.OID, c.Mod
	for types[oid] != nil && types[oid].Kind == "d" {
		domain := types[oid]
		if out.Type.Domain == "" {
			out.Type.Domain = domain.Name
		}
		out.NotNull = out.NotNull || domain.NotNull && !t.View
		for _, check := range domain.Checks {
			if !bounds(&out.Type, check) {
				t.Checks = append(t.Checks, fmt.Sprintf("%s of the domain %s: %s", c.Name, domain.Name, strings.TrimPrefix(check, "CHECK ")))
			}
		}
		oid, mod = domain.Base, domain.Mod
	}
	is := types[oid]
	if is != nil && is.Category == "A" && types[is.Element] != nil {
		out.Type.List = true
		is = types[is.Element]
		for is.Kind == "d" && types[is.Base] != nil {
			is = types[is.Base]
		}
	}
	if is == nil {
		out.Type.Kind, out.Type.Unfit = dbschema.Unfit, "its type is not in the catalogue"
		return out
	}
	if out.Type.Domain != "" && !out.Type.List {
		out.Type.Name = is.Name // statements compare values by the type that they have
	}
	is.describe(&out.Type, mod)
	return out
}

// boundText is one bound of a domain over whole numbers.
var boundText = regexp.MustCompile(`^VALUE (>=|<=|>|<) '?(-?[0-9]{1,18})'?(::[a-z]+)?$`)

// bounds takes the bounds of a domain's check, CHECK (((VALUE >= 1901) AND (VALUE <= 2155))),
// into the type. It returns false, and takes nothing, where the check says anything else.
func bounds(t *dbschema.Type, check string) bool {
	plain := strings.NewReplacer("CHECK ", "", "(", "", ")", "").Replace(check)
	var least, most *int64
	for part := range strings.SplitSeq(plain, " AND ") {
		m := boundText.FindStringSubmatch(part)
		if m == nil {
			return false
		}
		n, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			return false
		}
		switch m[1] {
		case ">":
			n++
			least = &n
		case ">=":
			least = &n
		case "<":
			n--
			most = &n
		case "<=":
			most = &n
		}
	}
	if least != nil {
		t.Least = least
	}
	if most != nil {
		t.Most = most
	}
	return true
}

// describe describes the values of a type that is neither a domain nor an array. mod is the
// modifier of the column: a length, or a precision and a scale.
func (is *typeRow) describe(t *dbschema.Type, mod int) {
	unfit := func(why string) { t.Kind, t.Unfit = dbschema.Unfit, why }
	switch is.Kind {
	case "e":
		t.Kind, t.Values = dbschema.Enum, is.Labels
		return
	case "c":
		unfit("it is a row within the row")
		return
	case "r", "m":
		t.Kind = dbschema.Other // the text of a range
		return
	}
	switch is.Name {
	case "bool":
		t.Kind = dbschema.Boolean
	case "int2", "int4", "int8":
		t.Kind = dbschema.Integer
		t.Bits = map[string]int{"int2": 16, "int4": 32, "int8": 64}[is.Name]
	case "float4", "float8":
		t.Kind = dbschema.Float
	case "numeric":
		t.Kind = dbschema.Decimal
		if mod >= 4 && !t.List {
			t.Precision, t.Scale = (mod-4)>>16&0xffff, (mod-4)&0x7ff
		}
	case "text", "name", "citext":
		t.Kind = dbschema.Text
	case "varchar", "bpchar":
		t.Kind = dbschema.Text
		if mod > 4 {
			t.Length = mod - 4
		}
	case "date":
		t.Kind = dbschema.Date
	case "timestamptz":
		t.Kind = dbschema.Instant
	case "timestamp":
		t.Kind = dbschema.DateTime
	case "time", "timetz":
		t.Kind = dbschema.Time
	case "uuid":
		t.Kind = dbschema.UUID
	case "json", "jsonb":
		t.Kind = dbschema.JSON
	case "interval", "inet", "cidr", "macaddr", "macaddr8", "bit", "varbit", "xml", "ltree", "char", "money":
		t.Kind = dbschema.Other
	case "bytea":
		unfit("it holds bytes, which a row of JSON cannot carry")
	case "tsvector", "tsquery":
		unfit("it is an index for text search and has no value to show")
	case "point", "line", "lseg", "box", "path", "polygon", "circle":
		unfit("it holds a shape, for which cards have no form")
	default:
		unfit("no card has a form for this type")
	}
}
