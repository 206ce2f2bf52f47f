package judge

import "strings"

// texts are values of formats, right and nearly right.
var texts = strings.Split(strings.TrimSpace(`
2024-02-29|2023-02-29|2024-13-01|2024-00-10|2024-01-32|0000-02-29|1900-02-29|2000-02-29|24-01-01|2024-01-01x|2024-04-31
10:30:00Z|10:30|25:00:00Z|23:59:60Z|10:30:60Z|01:29:60+01:30|23:59:60+01:00|10:30:00.123+02:00|10:30:00.Z|10:30:00z|10:30:00+24:00|10:30:00-00:60|22:59:60.5-01:00
2026-05-01T10:00:00Z|2026-05-01t10:00:00.123456789+02:00|2026-05-01 10:00:00Z|2026-05-01T24:00:00Z|9999-12-31T23:59:59-01:00|0000-01-01T00:00:00+00:01|9999-12-31T23:59:60Z|1998-12-31T23:59:60Z|0000-01-01T00:29:60+00:30|2026-02-30T10:00:00Z|2026-05-01T10:00:00
P3D|P|PT|P1Y2M3DT4H5M6S|P4W|P1Y2D|PT1H2S|P1YT|P1DT1H|P-1D|PT0.5S|P1W2W|PT4W|P2D1Y
https://example.org/a?b#c|http://a.b/ c|urn:a:b|http:|http://[::1]:80/|http://[::1|http://[v1.a:b]|http://[v.a]|http://a@b@c|http://a:b|/a/b|a:b c|//a.b/c|?q|#f|#a#b|a,b:c|1a:b|http://a/%4g|http://a/%4a|http://é.b|x+y-z.1:a|http://a:80|//|:a|http://[192.0.2.1]|http://u:p@a/b|http://[::1]a|a/b:c
ada@example.org|ada@|@x|"a b"@example.org|a..b@x|a@[192.0.2.1]|a@[IPv6:::1]|a@[ipv6:2001:db8::1]|a@[1.2.3]|"a"b@x|"\""@x|"a\"@x|a@-b.c|é@x|a@b_c|a.b@x|a@b@c|"@x
example.org|example.org.|-a.b|a-.b|a_b|a..b|1.2.3|xn--bcher-kva.example|localhost|A.B
192.0.2.1|256.1.1.1|1.2.3|01.2.3.4|1.2.3.4.5|1.2.3.4.|0.0.0.0|1.2.3.|1.2.3.04
::1|::|1::2::3|2001:db8::1|1:2:3:4:5:6:7:8|1:2:3:4:5:6:7|::1.2.3.4|1.2.3.4::|1:2:3:4:5:6:1.2.3.4|:::|12345::|::g|1:2:3:4:5:6:7::|1::1.2.3.256|1:2:3:4:5:6:7:8::|::1:|1:
0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d42|0190B5C2-7D3E-7A51-8C2F-3F0E6A1B9D42|0190b5c27d3e7a518c2f3f0e6a1b9d42|0190b5c2-7d3e-7a51-8c2f-3f0e6a1b9d4g
/a/0|/|a|/a~|/a~2|/a~0b~1|/a~/b|//
12.50|-3|0.0|+3|.5|1.|1e3|12.5x|00012
`), "|")

func init() {
	var all []string
	for _, t := range texts {
		all = append(all, strings.Split(t, "\n")...)
	}
	texts = append(all, strings.Repeat("1", 100), strings.Repeat("1", 101), strings.Repeat("a", 63)+".b", strings.Repeat("a", 64)+".b", strings.Repeat("a", 64)+"@x", strings.Repeat("a", 65)+"@x", strings.Repeat("a.", 127), strings.Repeat("a.", 126)+"a")
}

// junk is a value that looks at no schema.
func (d *dice) junk(depth int) any {
	switch n := d.IntN(14); {
	case n < 3:
		return d.text()
	case n < 6:
		return d.number()
	case n == 6:
		return d.one(2)
	case n == 7:
		return nil
	case n == 8:
		return object{{"$bigint", d.big()}}
	case n < 11 && depth > 0:
		list := []any{}
		for range d.IntN(4) {
			list = append(list, d.junk(depth-1))
		}
		return list
	case depth > 0:
		o := object{}
		for _, name := range d.some(d.IntN(4)) {
			o = append(o, pair{name, d.junk(depth - 1)})
		}
		return o
	}
	return d.text()
}

// value is a value that looks at its schema, mostly: keyword by keyword it is inside, at the
// edge or outside.
func (d *dice) value(shape any, card object, depth int) any {
	o, ok := shape.(object)
	if !ok || d.one(9) {
		return d.junk(2)
	}
	if depth == 0 {
		return d.junk(1)
	}
	if ref, ok := o.get("$ref").(string); ok && d.one(2) {
		defs, _ := card.get("$defs").(object)
		return d.value(defs.get(strings.TrimPrefix(ref, "#/$defs/")), card, depth-1)
	}
	for _, name := range []string{"anyOf", "oneOf", "allOf"} {
		if subs, ok := o.get(name).([]any); ok && d.one(2) {
			return d.value(pick(d, subs...), card, depth-1)
		}
	}
	for _, name := range []string{"if", "then", "not"} {
		if sub := o.get(name); sub != nil && d.one(3) {
			return d.value(sub, card, depth-1)
		}
	}
	if values, ok := o.get("enum").([]any); ok && !d.one(4) {
		return pick(d, values...)
	}
	if value := o.get("const"); value != nil && !d.one(3) {
		return value
	}
	kind, _ := o.get("type").(string)
	if list, ok := o.get("type").([]string); ok {
		kind = pick(d, list...)
	}
	if kind == "" {
		switch {
		case o.get("properties") != nil, o.get("patternProperties") != nil, o.get("propertyNames") != nil, o.get("dependentRequired") != nil, o.get("dependentSchemas") != nil, o.get("unevaluatedProperties") != nil:
			kind = "object"
		case o.get("prefixItems") != nil, o.get("contains") != nil, o.get("unevaluatedItems") != nil:
			kind = "array"
		}
	}
	switch kind {
	case "string":
		if o.get("format") != nil && !d.one(4) {
			return pick(d, texts...)
		}
		return d.text()
	case "integer", "number":
		if d.one(8) {
			return object{{"$bigint", d.big()}}
		}
		return d.number()
	case "boolean":
		return d.one(2)
	case "null":
		return nil
	case "array":
		list := []any{}
		prefix, _ := o.get("prefixItems").([]any)
		for i := range d.IntN(5) {
			sub := o.get("items")
			switch {
			case i < len(prefix):
				sub = prefix[i]
			case o.get("contains") != nil && d.one(2):
				sub = o.get("contains")
			}
			if len(list) > 0 && d.one(4) {
				list = append(list, list[d.IntN(len(list))])
				continue
			}
			list = append(list, d.value(sub, card, depth-1))
		}
		return list
	case "object":
		return d.members(o, card, depth)
	}
	return d.junk(2)
}

// members is an object with most of the members that a schema names, and sometimes others.
func (d *dice) members(o, card object, depth int) object {
	out := object{}
	seen := map[string]bool{}
	props, _ := o.get("properties").(object)
	for _, m := range props {
		if !seen[m.name] && !d.one(6) {
			seen[m.name] = true
			out = append(out, pair{m.name, d.value(m.value, card, depth-1)})
		}
	}
	if d.one(4) {
		for _, name := range append(d.some(1+d.IntN(2)), pick(d, "xa", "a1", "zzz")) {
			if !seen[name] {
				seen[name] = true
				out = append(out, pair{name, d.junk(2)})
			}
		}
	}
	d.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// body is what a caller sends.
func (d *dice) body(card object) any {
	if d.one(30) {
		return d.junk(1)
	}
	return d.members(card, card, 5)
}
