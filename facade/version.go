package facade

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// rowVersion is the version of a row: 128 bits of the hash over the fields that it is made
// of, as they leave, and omitted behind it. encoded says that they are in that form already. "" where the row
// lacks one of them that it cannot be without.
func rowVersion(registry *schema.Registry, row rows.Row, fields []*schema.Property, omitted string, encoded bool) (string, error) {
	buf := jsontext.TakeBuffer()
	defer buf.Release()
	text := append(buf.Text, '{')
	for _, p := range fields {
		value := row.Get(p.Name)
		switch {
		case value != nil:
		case p.MayBeAbsent():
			value = json.RawMessage("null") // as the store keeps it
		default:
			return "", nil
		}
		if p.Axes.Out.Name != "" && !encoded {
			var err error
			if value, err = outward(registry, p, value); err != nil {
				return "", err
			}
		}
		text = append(jsontext.AppendName(jsontext.Comma(text), p.Name), value...)
	}
	buf.Text = append(text, '}')
	sum := sha256.Sum256(buf.Text)
	var version [22]byte
	base64.RawURLEncoding.Encode(version[:], sum[:16])
	return string(version[:]) + omitted, nil
}

// omittedMark begins each field that a version omits: abc~2~7 leaves out the third and the eighth of the card.
const omittedMark = "~"

// appendOmitted appends a field to the end of a version.
func appendOmitted(omitted string, p *schema.Property) string {
	return omitted + omittedMark + strconv.Itoa(p.Index)
}

// withoutOmitted returns the fields that a version with this end is made of.
func withoutOmitted(fields []*schema.Property, omitted string) []*schema.Property {
	if omitted == "" {
		return fields
	}
	return slices.DeleteFunc(slices.Clone(fields), func(p *schema.Property) bool {
		return strings.Contains(omitted+omittedMark, appendOmitted("", p)+omittedMark)
	})
}
