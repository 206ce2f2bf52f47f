package startpage

import (
	"context"
	"fmt"
	"html"
	"net/url"
	"strings"

	"github.com/frondhost/frond/facade/access"
)

// Style is the style of the HTML of a [Domain].
const Style = `h2{font-size:1.25rem;margin:2rem 0 .5rem}table{border-collapse:collapse;width:100%;table-layout:fixed;margin-bottom:1.5rem}caption{text-align:start;font-weight:600}
th,td{text-align:start;vertical-align:top;padding:.3rem .6rem .3rem 0;border-top:1px solid #8888;overflow-wrap:anywhere}th{font-weight:400}th:nth-child(2){width:6.5rem}th,.faint{color:#555}
figure{margin:1rem 0;overflow-x:auto}svg{display:block;margin:auto;font:13px ui-monospace,monospace;text-anchor:middle}svg text{fill:currentColor}svg .of{font-size:11px}
svg rect{fill:#f2f2f2;stroke:#767676}svg .line{fill:none;stroke:#767676;stroke-width:1.5}svg marker{fill:#767676}
@media(prefers-color-scheme:dark){th,.faint{color:#aaa}svg rect{fill:#262626}}`

// Seen is how a caller sees the rows.
type Seen struct {
	State   access.State
	By      string // the caller, for the sentence about the numbers
	Refused string // why the credentials of the caller were refused: no row is counted; "": they were not
	Docs    string // path of the API documents; "": they are not served
}

// HTML returns the Fronds, their doors with the rows that a caller sees, and the picture.
func (d *Domain) HTML(ctx context.Context, seen *Seen) string {
	if len(d.fronds) == 0 {
		return ""
	}
	var rows map[*door]number
	about := "The rows as " + seen.By + " sees them."
	if seen.Refused == "" {
		rows = d.count(ctx, seen.State)
	} else {
		about = "Rows are not counted: " + seen.Refused
	}
	var b strings.Builder
	b.WriteString("<h2>Fronds and entities</h2>")
	if d.picture != "" {
		b.WriteString(`<figure role="img" tabindex="0" aria-label="The entities as boxes, with an arrow to each entity that their rows lead to. The tables say the same.">` + d.picture + "</figure>")
	}
	b.WriteString("<p>" + html.EscapeString(about) + "</p>")
	for _, f := range d.fronds {
		name := html.EscapeString(f.name)
		if f.remote {
			name += ` <span class="faint">at another host</span>`
		}
		fmt.Fprintf(&b, "\n<table><caption>%s</caption><thead><tr><th scope=\"col\">entity<th scope=\"col\">rows<th scope=\"col\">leads to</thead>", name)
		for _, one := range f.doors {
			entity := html.EscapeString(one.name)
			if seen.Docs != "" {
				entity = fmt.Sprintf(`<a href="%s#%s">%s</a>`, seen.Docs, url.PathEscape(one.name+"."+one.documented().Name), entity)
			}
			count := rows[one].text
			if one.link != "" && rows[one].counted {
				count = fmt.Sprintf(`<a href="%s">%s</a>`, html.EscapeString(one.link), count)
			}
			leads := make([]string, len(one.leads))
			for i, r := range one.leads {
				leads[i] = html.EscapeString(r.name)
			}
			fmt.Fprintf(&b, "\n<tr><td>%s<td>%s<td>%s", entity, count, strings.Join(leads, ", "))
		}
		b.WriteString("</table>")
	}
	return b.String()
}
