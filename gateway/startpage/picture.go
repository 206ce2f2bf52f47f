package startpage

import (
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	mostDrawn = 40 // doors up to which a picture is clear
	mostAbove = 5  // boxes of one layer
)

// Lengths in the picture, in pixels.
const (
	letterWidth  = 8
	boxHeight    = 44
	boxGap       = 20
	layerGap     = 52
	passageWidth = 12
	margin       = 12 // around the picture; the loop of an arrow back to its own box is in it, too
)

// arrow leads from rows to the rows whose keys they have.
type arrow struct{ from, to *door }

// node is a box, or the passage of an arrow through a layer.
type node struct {
	door     *door // nil: a passage
	layer    int
	up, down []*node // joined nodes in the neighbouring layers
	width    float64
	x, wish  float64 // of the middle
}

// draw returns the doors as boxes and their relations as arrows. Rows that others lead to are above
// those others.
func draw(doors []*door, fronds bool) string {
	if len(doors) < 2 || len(doors) > mostDrawn {
		return ""
	}
	arrows := arrowsOf(doors)
	boxes := boxesOf(doors, arrows)
	layers, lines := layersOf(doors, boxes, arrows)
	arrange(layers)
	return svg(layers, lines, fronds)
}

// arrowsOf returns one arrow for both directions of a relation.
func arrowsOf(doors []*door) (arrows []arrow) {
	add := func(a arrow, or ...arrow) {
		for _, same := range append(or, a) {
			if slices.Contains(arrows, same) {
				return
			}
		}
		arrows = append(arrows, a)
	}
	for _, one := range doors {
		for _, r := range one.leads {
			if r.by == one {
				add(arrow{one, r.to})
			}
		}
	}
	for _, one := range doors {
		for _, r := range one.leads {
			switch r.by {
			case one:
			case nil: // rows in between that the page does not name
				add(arrow{one, r.to}, arrow{r.to, one})
			default:
				add(arrow{r.by, one})
			}
		}
	}
	return arrows
}

// boxesOf gives each door a box, and the box a layer: below all that the door leads to, but for an
// arrow that closes a circle. Doors without arrows are last.
func boxesOf(doors []*door, arrows []arrow) map[*door]*node {
	boxes := map[*door]*node{}
	counts := map[int]int{}
	put := func(one *door, layer int) {
		for counts[layer] == mostAbove {
			layer++
		}
		counts[layer]++
		boxes[one].layer = layer
	}
	var visit func(one *door) int
	visit = func(one *door) int {
		if box := boxes[one]; box != nil {
			return box.layer // of a circle: -1
		}
		letters := max(utf8.RuneCountInString(one.name), utf8.RuneCountInString(one.frond.name))
		boxes[one] = &node{door: one, width: float64(letters*letterWidth + 24), layer: -1}
		layer := 0
		for _, a := range arrows {
			if a.from == one && a.to != one {
				layer = max(layer, visit(a.to)+1)
			}
		}
		put(one, layer)
		return boxes[one].layer
	}
	joined := func(one *door) bool {
		return slices.ContainsFunc(arrows, func(a arrow) bool { return a.from == one || a.to == one })
	}
	for _, one := range doors {
		if joined(one) {
			visit(one)
		}
	}
	last := len(counts)
	for _, one := range doors {
		if !joined(one) {
			visit(one)
			counts[boxes[one].layer]--
			put(one, last)
		}
	}
	return boxes
}

// layersOf returns the nodes by their layers, and the nodes that each arrow goes through, the upper
// end first; an arrow to its own box has one.
func layersOf(doors []*door, boxes map[*door]*node, arrows []arrow) (layers [][]*node, lines []line) {
	add := func(n *node) {
		for len(layers) <= n.layer {
			layers = append(layers, nil)
		}
		layers[n.layer] = append(layers[n.layer], n)
	}
	for _, one := range doors {
		add(boxes[one])
	}
	for _, a := range arrows {
		upper, lower := boxes[a.to], boxes[a.from]
		l := line{upward: upper.layer <= lower.layer}
		if !l.upward {
			upper, lower = lower, upper
		}
		l.nodes = append(l.nodes, upper)
		for last := upper; last != lower; {
			next := lower
			if last.layer+1 < lower.layer {
				next = &node{width: passageWidth, layer: last.layer + 1}
				add(next)
			}
			last.down, next.up = append(last.down, next), append(next.up, last)
			l.nodes = append(l.nodes, next)
			last = next
		}
		lines = append(lines, l)
	}
	return layers, lines
}

// line is the way of an arrow.
type line struct {
	nodes  []*node
	upward bool // its head is at the first node
}

// arrange orders the nodes of each layer by the middle of their neighbours, and gives them places
// close to it.
func arrange(layers [][]*node) {
	for _, layer := range layers {
		spread(layer)
	}
	for sweep := range 8 {
		for i := range layers {
			layer, down := layers[i], sweep%2 == 0
			if !down {
				layer = layers[len(layers)-1-i]
			}
			for _, n := range layer {
				joined := n.down
				if down {
					joined = n.up
				}
				n.wish = n.x
				if len(joined) > 0 {
					n.wish = 0
					for _, other := range joined {
						n.wish += other.x / float64(len(joined))
					}
				}
			}
			slices.SortStableFunc(layer, func(a, b *node) int { return cmp.Compare(a.wish, b.wish) })
			spread(layer)
		}
	}
}

// spread places the nodes of a layer in their order, without an overlap and on the whole near their
// wishes.
func spread(layer []*node) {
	moved := 0.0
	for i, n := range layer {
		n.x = n.wish
		if i > 0 {
			before := layer[i-1]
			n.x = max(n.x, before.x+(before.width+n.width)/2+boxGap)
		}
		moved += (n.x - n.wish) / float64(len(layer))
	}
	for _, n := range layer {
		n.x -= moved
	}
}

// svg writes the picture. It is hidden from screen readers: the tables of the page say the same.
func svg(layers [][]*node, lines []line, fronds bool) string {
	west, east := layers[0][0].x, layers[0][0].x
	for _, layer := range layers {
		for _, n := range layer {
			west, east = min(west, n.x-n.width/2), max(east, n.x+n.width/2)
		}
	}
	top := func(n *node) float64 { return float64(margin + n.layer*(boxHeight+layerGap)) }
	width, height := east-west+2*margin, float64(len(layers)*(boxHeight+layerGap)-layerGap+2*margin)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="%.0f 0 %.0f %.0f" width="%.0[2]f" height="%.0[3]f" aria-hidden="true">`, west-margin, width, height)
	b.WriteString(`<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker></defs>`)
	for _, l := range lines {
		var way strings.Builder
		first := l.nodes[0]
		fmt.Fprintf(&way, "M%.0f %.0f", first.x, top(first)+boxHeight)
		if len(l.nodes) == 1 {
			way.Reset()
			fmt.Fprintf(&way, "M%.0f %.0fc16-6 16-22 0-24", first.x+first.width/2, top(first)+boxHeight/2+12)
			l.upward = false
		}
		for i, n := range l.nodes[1:] {
			before := l.nodes[i]
			half := top(n) - layerGap/2
			fmt.Fprintf(&way, "C%.0f %.0f %.0f %.0f %.0f %.0f", before.x, half, n.x, half, n.x, top(n))
			if n.door == nil {
				fmt.Fprintf(&way, "v%d", boxHeight)
			}
		}
		end := "end"
		if l.upward {
			end = "start"
		}
		fmt.Fprintf(&b, `<path class="line" d="%s" marker-%s="url(#head)"/>`, way.String(), end)
	}
	for _, layer := range layers {
		for _, n := range layer {
			if n.door == nil {
				continue
			}
			fmt.Fprintf(&b, `<rect x="%.0f" y="%.0f" width="%.0f" height="%d" rx="6"/>`, n.x-n.width/2, top(n), n.width, boxHeight)
			at := 27.0
			if fronds {
				at = 20
				fmt.Fprintf(&b, `<text class="of" x="%.0f" y="%.0f">%s</text>`, n.x, top(n)+36, html.EscapeString(n.door.frond.name))
			}
			fmt.Fprintf(&b, `<text x="%.0f" y="%.0f">%s</text>`, n.x, top(n)+at, html.EscapeString(n.door.name))
		}
	}
	b.WriteString("</svg>")
	return b.String()
}
