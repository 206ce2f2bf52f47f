// Package seed writes the rows of a project's seeds when its store starts for the first time.
package seed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/facade/kiterror"
	"github.com/frondhost/frond/facade/rows"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
)

// Write writes the rows of the project's seeds, as the author's own code: judged, filled and
// completed like any row, ids and closed fields allowed. Rows that others point at come first,
// of one entity and among entities. It writes all of them or fails.
//
// An entity is seeded once in the life of a store that has a [facade.Seeder], however often
// Write is called, even after its rows are deleted. An entity that has rows when it comes to be
// seeded, as in a store of an older version, keeps those it has.
//
// Refused rows are schema.Faults with file and index, all of them at once, and then no row is
// written. Another failure is a [kiterror.Error].
//
// The notes name the files whose rows are not written: an entity that has rows, and a file that
// changed since its rows were written.
func Write(ctx context.Context, f *facade.Facade) (notes []string, err error) {
	if len(f.Seeds()) == 0 {
		return nil, nil
	}
	if notes, err = write(ctx, f); err != nil {
		return nil, err
	}
	return append(notes, changed(ctx, f)...), nil
}

// write writes the seeds of entities without earlier seeds. The notes name the files of entities that have
// rows.
func write(ctx context.Context, f *facade.Facade) (notes []string, err error) {
	seeds := f.Seeds()
	s := seeding{facade: f, store: f.Store(), ids: map[*schema.Entity]map[string]bool{}}
	files := inDependencyOrder(seeds)
	entities := make([]*schema.Entity, len(files))
	for i, file := range files {
		entities[i] = file.Entity
	}
	seeder := seederOf(s.store)
	done, err := seeder.Seeded(ctx, entities)
	if err != nil {
		return nil, kiterror.AsError(err)
	}
	var batches []facade.SeedBatch
	for _, file := range files {
		if done[file.Entity] {
			continue
		}
		empty, err := isEmpty(ctx, s.store, file.Entity)
		switch {
		case err != nil:
			return nil, kiterror.AsError(err).At(file.Entity.Name, "create")
		case empty:
			s.files = append(s.files, s.judge(ctx, file))
		default:
			batches = append(batches, facade.SeedBatch{Entity: file.Entity})
			notes = append(notes, fmt.Sprintf("%s is not written: the store has rows of %s already", file.File, file.Entity.Name))
		}
	}
	if err := s.consistent(ctx); err != nil {
		return nil, err
	}
	if err := s.faults.Err(); err != nil {
		return nil, err
	}
	late := s.holdBack()
	for _, file := range s.files {
		batches = append(batches, facade.SeedBatch{Entity: file.Entity, Rows: s.parentsFirst(file), Late: late[file.Entity]})
	}
	if len(batches) == 0 {
		return nil, nil
	}
	return notes, s.explain(seeder.Seed(ctx, batches))
}

// explain is a store's refusal of seeds as a fault of their file.
func (s *seeding) explain(err error) error {
	var refused *kiterror.Error
	if errors.As(err, &refused) && refused.Code == kiterror.Conflict {
		for _, file := range s.files {
			if file.Entity.Name == refused.Entity {
				return schema.Faults{{File: file.File, Message: "the store refuses these rows: " + refused.Message}}
			}
		}
	}
	if err != nil {
		return kiterror.AsError(err)
	}
	return nil
}

// holdBack takes relations that may be null out of the rows if they lead to entities that come
// later, because entities point at one another in a circle. They are set once every row is
// there.
func (s *seeding) holdBack() map[*schema.Entity][]facade.LateField {
	late := map[*schema.Entity][]facade.LateField{}
	behind := map[*schema.Entity]bool{}
	for i := len(s.files) - 1; i >= 0; i-- {
		file := &s.files[i]
		for _, p := range file.Entity.Fields {
			if p.Link == nil || p.Link.Many || !behind[p.Link.Target] || !p.MayBeNull() {
				continue
			}
			for j, r := range file.records {
				v := r.Get(p.Name)
				if v == nil || jsontext.IsNull(v) {
					continue
				}
				late[file.Entity] = append(late[file.Entity], facade.LateField{ID: s.id(file.Entity, r), Set: facade.Record{{Name: p.Name, Value: v}}})
				file.records[j] = slices.DeleteFunc(slices.Clone(r), func(m schema.Member) bool { return m.Name == p.Name })
			}
		}
		behind[file.Entity] = true
	}
	return late
}

// seeding is one run of Seed.
type seeding struct {
	facade *facade.Facade
	store  facade.Store
	files  []judged
	ids    map[*schema.Entity]map[string]bool // of the rows that will be written
	faults schema.Faults
}

// judged is a file whose rows are ready to be written.
type judged struct {
	facade.SeedFile
	records []facade.Record
}

// fault keeps a fault of the i-th row of a file.
func (s *seeding) fault(file string, i int, at, message, remedy string) {
	s.faults = append(s.faults, schema.Fault{File: file, Pointer: fmt.Sprintf("/%d%s", i, at), Message: message, Remedy: remedy})
}

// judge judges and completes the rows, as create does for the author's own code.
func (s *seeding) judge(ctx context.Context, file facade.SeedFile) judged {
	out := judged{SeedFile: file, records: make([]facade.Record, 0, len(file.Rows))}
	ids := map[string]bool{}
	s.ids[file.Entity] = ids
	for i, row := range file.Rows {
		record, err := s.facade.Complete(ctx, file.Entity, row)
		if err != nil {
			s.refused(file.File, i, err)
			record = nil
		}
		out.records = append(out.records, record)
		if record == nil { // rows that point at it are in order
			record = facade.Record{{Name: file.Entity.Primary.Name, Value: jsontext.Get(row, file.Entity.Primary.Name)}}
		}
		ids[string(s.id(file.Entity, record))] = true
	}
	return out
}

// id is the primary key of a row, in the one form of a key.
func (s *seeding) id(e *schema.Entity, r facade.Record) json.RawMessage {
	id, _ := e.Primary.KeyText(r.Get(e.Primary.Name))
	return id
}

// refused keeps why a row was refused, a fault for every detail.
func (s *seeding) refused(file string, i int, err error) {
	e := kiterror.AsError(err)
	details, _ := e.Details.([]schema.Detail)
	for _, d := range details {
		s.fault(file, i, strings.TrimPrefix(d.Pointer, "/body"), strings.TrimPrefix(d.Path+" "+d.Message, ". "), "")
	}
	if len(details) == 0 {
		s.fault(file, i, "", e.Error(), "")
	}
}

// consistent looks for rows that the store would refuse, so that it can be reported row by row:
// taken values, and relations to missing rows.
func (s *seeding) consistent(ctx context.Context) error {
	for _, file := range s.files {
		uniques := append([][]*schema.Property{{file.Entity.Primary}}, file.Entity.Uniques...)
		twice := map[int]bool{} // rows that have a fault
		for _, members := range uniques {
			seen := map[string]int{}
			for i, r := range file.records {
				values, ok := facade.UniqueKey(members, r)
				if !ok {
					continue
				}
				if twice[i] {
					continue
				}
				if first, taken := seen[values]; taken {
					twice[i] = true
					s.fault(file.File, i, "/"+jsontext.Token(members[0].Name), fmt.Sprintf("%s is taken by row %d", names(members), first), "give every row its own")
					continue
				}
				seen[values] = i
			}
		}
		for _, p := range file.Entity.Fields {
			if p.Link != nil && p.Link.Many {
				if err := s.listed(ctx, file, p); err != nil {
					return err
				}
			}
			if p.Link == nil || p.Link.Many {
				continue
			}
			known, seeded := s.ids[p.Link.Target]
			for i, r := range file.records {
				id := r.Get(p.Name)
				if !seeded || id == nil || jsontext.IsNull(id) {
					continue
				}
				if id, _ := p.KeyText(id); !known[string(id)] {
					s.fault(file.File, i, "/"+jsontext.Token(p.Name), fmt.Sprintf("%s names a %s that is not among the seeds", p.Name, p.Link.Target.Name), "add the row, or name one that is there")
				}
			}
		}
	}
	return nil
}

// listed reports ids of a list that are neither among the seeds nor in the store. It does not
// look up rows of a remote.
func (s *seeding) listed(ctx context.Context, file judged, p *schema.Property) error {
	target := p.Link.Target
	if s.facade.Catalog().RemoteOf(target) != "" {
		return nil
	}
	for i, r := range file.records {
		for j, id := range jsontext.Elements(r.Get(p.Name)) {
			if id, _ := target.Primary.KeyText(id); s.ids[target][string(id)] {
				continue
			}
			found, err := s.store.Find(ctx, &facade.Find{
				Entity: target, Select: rows.NewLayout([]string{target.Primary.Name}), Limit: 1, Each: &facade.EachKey{Field: target.Primary, Values: []json.RawMessage{id}},
			})
			if err != nil {
				return kiterror.AsError(err).At(file.Entity.Name, "create")
			}
			if found.Groups[0].From == found.Groups[0].To {
				s.fault(file.File, i, fmt.Sprintf("/%s/%d", jsontext.Token(p.Name), j), fmt.Sprintf("%s names a %s that is not among the seeds", p.Name, target.Name), "add the row, or name one that is there")
			}
		}
	}
	return nil
}

// names joins the names of fields, for messages.
func names(members []*schema.Property) string {
	list := make([]string, len(members))
	for i, p := range members {
		list[i] = p.Name
	}
	return strings.Join(list, " and ")
}

// parentsFirst orders the rows of one entity so that a row comes behind those it
// points at, and otherwise as in the file.
func (s *seeding) parentsFirst(file judged) []facade.Record {
	e := file.Entity
	var self []*schema.Property
	for _, p := range e.Fields {
		if p.Link != nil && !p.Link.Many && p.Link.Target == e {
			self = append(self, p)
		}
	}
	if self == nil {
		return file.records
	}
	at := map[string]int{}
	for i, r := range file.records {
		at[string(s.id(e, r))] = i
	}
	out := make([]facade.Record, 0, len(file.records))
	done := make([]bool, len(file.records))
	var add func(i int)
	add = func(i int) {
		if done[i] {
			return
		}
		done[i] = true // before its parents: a circle ends here
		for _, p := range self {
			if v := file.records[i].Get(p.Name); v != nil && !jsontext.IsNull(v) {
				id, _ := p.KeyText(v)
				if j, known := at[string(id)]; known {
					add(j)
				}
			}
		}
		out = append(out, file.records[i])
	}
	for i := range file.records {
		add(i)
	}
	return out
}

// inDependencyOrder sorts entities behind those they point at. A circle has no such order:
// there, relations that may be null do not count (see holdBack).
func inDependencyOrder(files []facade.SeedFile) []facade.SeedFile {
	out := ordered(files, func(*schema.Property) bool { return true })
	done := map[*schema.Entity]bool{}
	for i, f := range out {
		done[f.Entity] = true
		for _, p := range f.Entity.Fields {
			if p.Link != nil && !p.Link.Many && !p.MayBeNull() && !done[p.Link.Target] && slices.ContainsFunc(out[i:], func(o facade.SeedFile) bool { return o.Entity == p.Link.Target }) {
				return ordered(files, func(p *schema.Property) bool { return !p.MayBeNull() })
			}
		}
	}
	return out
}

// ordered sorts entities behind those that their relations of a kind point at, as far as
// these make no circle.
func ordered(files []facade.SeedFile, counts func(*schema.Property) bool) []facade.SeedFile {
	out := make([]facade.SeedFile, 0, len(files))
	state := map[*schema.Entity]int{} // 1: on the way, 2: done
	var add func(f facade.SeedFile)
	add = func(f facade.SeedFile) {
		if state[f.Entity] != 0 {
			return
		}
		state[f.Entity] = 1
		for _, p := range f.Entity.Fields {
			if p.Link == nil || p.Link.Many || p.Link.Target == f.Entity || !counts(p) {
				continue
			}
			if i := slices.IndexFunc(files, func(o facade.SeedFile) bool { return o.Entity == p.Link.Target }); i >= 0 {
				add(files[i])
			}
		}
		state[f.Entity] = 2
		out = append(out, f)
	}
	for _, f := range files {
		add(f)
	}
	return out
}
