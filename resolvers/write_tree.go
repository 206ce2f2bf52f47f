package resolvers

import "github.com/frondhost/frond/resolvers/graphqlerror"

// tree writes the value of a hand-written field.
func (w *writer) tree(f *field, out *outType, t *tree) bool {
	start := len(w.text)
	switch t.kind {
	case treeFault:
		return w.null(f, out, start, t.fault)
	case treeLeaf:
		w.text = append(w.text, t.text...)
		return true
	case treeJSON:
		return w.json(f, out, t.text)
	case treeList:
		return w.treeList(f, out, t.list) || w.rewind(out, start)
	case treeObject:
		return w.treeObject(t) || w.rewind(out, start)
	}
	return w.null(f, out, start, nil)
}

func (w *writer) treeList(f *field, out *outType, list []tree) bool {
	w.text = append(w.text, '[')
	for i := range list {
		if i > 0 {
			w.text = append(w.text, ',')
		}
		w.push(graphqlerror.Segment{Index: i})
		ok := w.tree(f, out.elem, &list[i])
		w.pop()
		if !ok {
			return false
		}
	}
	w.text = append(w.text, ']')
	return true
}

func (w *writer) treeObject(t *tree) bool {
	res := &t.run.res[0]
	if t.run.unit.typ.page {
		return w.connection(t.run, t.run.unit.sel, res, &res.groups[t.at])
	}
	return w.item(t.run, t.run.unit.sel, res, t.at)
}
