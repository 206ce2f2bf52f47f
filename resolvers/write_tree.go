package resolvers

import (
	"github.com/frondhost/frond/resolvers/language"
	"github.com/frondhost/frond/schema/jsontext"
)

// tree writes the value of a hand-written field: leaves as they are, JSON by its type, objects
// from the run for them.
func (w *writer) tree(f *field, out *outputType, t *tree) bool {
	start := len(w.text)
	switch t.Kind {
	case treeError:
		return w.null(f, out, start, t.Err)
	case treeLeaf:
		w.text = append(w.text, t.Text...)
		return true
	case treeJSON:
		return w.json(f, out, t.Text)
	case treeList:
		return w.treeList(f, out, t.List) || w.rewind(out, start)
	case treeObject:
		return w.treeObject(t) || w.rewind(out, start)
	}
	return w.null(f, out, start, nil)
}

// treeList writes a list of trees, with an index in the path for each.
func (w *writer) treeList(f *field, out *outputType, list []tree) bool {
	w.text = append(w.text, '[')
	for i := range list {
		w.text = jsontext.Comma(w.text)
		w.push(language.Segment{Index: i})
		ok := w.tree(f, out.Elem, &list[i])
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

// treeObject writes the item of a tree's run. A run over connections has one group for each.
func (w *writer) treeObject(t *tree) bool {
	res := &t.Run.Results[0]
	// Of a connection, At is the number of a group and not of a row.
	if t.Run.Unit.Type.Page {
		return w.connection(t.Run, t.Run.Unit.Selection, res, &res.Groups[t.At], t.At)
	}
	return w.item(t.Run, t.Run.Unit.Selection, res, t.At)
}
