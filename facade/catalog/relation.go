package catalog

import (
	"github.com/frondhost/frond/schema"
)

// Relation is a relation that callers can follow, with the one call that reads its rows for many
// rows at once. It never changes.
type Relation struct {
	Link *schema.Link
	Door *Door // of the rows it leads to
	// Column is the field of a row that holds the key, or the list of ids.
	Column string
	// Operation of Door reads the rows: findById by their ids, list if they point back.
	Operation string
	Each      string // the field of Door's rows, or of the rows in between, that equals the key
}

// RelationTo returns the relation of rows of e along a link, or nil where the surface that c shows
// cannot follow it:
//
//	the target has no door, or rows without a primary key
//	the link, or a key that it is followed by, is closed outward
//	e is a view without the primary key that the other rows point back at
//	the door lacks the operation, or has one of the author's in its place
//	the door is remote, and its list takes no filter
//	no door lists the rows in between, or their host lists them without a filter
func (c *Catalog) RelationTo(e *schema.Entity, l *schema.Link) *Relation {
	to := c.Door(l.Target.Key)
	if to == nil || to.Entity != l.Target || to.Entity.Primary == nil || !l.Field.Readable() {
		return nil
	}
	r := &Relation{Link: l, Door: to, Column: l.Field.Name, Operation: "findById", Each: to.Entity.Primary.Name}
	if l.Inverse != nil {
		if e.Primary == nil || !e.Primary.Readable() || !l.Inverse.Readable() {
			return nil
		}
		r.Column, r.Operation, r.Each = e.Primary.Name, "list", l.Inverse.Name
	}
	if l.Through != nil && (!c.listed(l) || !Crossed(c.Fronds, l)) {
		return nil
	}
	op := to.Operation(r.Operation)
	if op == nil || !op.Builtin || l.Inverse != nil && !op.Takes("filter") {
		return nil
	}
	return r
}

// InRow reports whether the row itself holds the ids of many rows.
func (r *Relation) InRow() bool { return r.Link.Many && r.Link.Inverse == nil }

// Through returns the Through of a batch, for rows that entity.op answered; nil where the rows
// themselves show the relation. Rows that came from no call count as read by their ids: entity
// and op may be "".
func (r *Relation) Through(entity, op string) *Through {
	if r.Link.Inverse == nil {
		return nil
	}
	if entity == "" || op == "" {
		entity, op = r.Link.Field.Owner.Key, "findById"
	}
	return &Through{Entity: entity, Operation: op, Field: r.Link.Field.Name}
}

// Through is a many relation on the way of a call: the field, and the call that gave the rows
// it starts from. It is asked about because those rows hold no part of it.
type Through struct {
	Entity, Operation, Field string
}
