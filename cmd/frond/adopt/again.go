package adopt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/dbschema"
)

// Existing is a project that an earlier run has made, as it is now: its author may have changed
// every file.
type Existing struct {
	Config string            // the text of frond.yaml
	Cards  map[string]string // the texts of entities/NAME.yaml, by NAME
}

// Additions are the additions of a later run to a project. Existing parts of the project are
// not changed or removed.
type Additions struct {
	// Project is the project of the whole database, under the names of the existing one.
	Project *Project
	// Files are the files that are new or longer than before, by their paths in the project.
	Files map[string]string
	// Added are the new tables, columns and relations, one a line.
	Added []string
	// Differences are the contradictions between the project and the database, each with its
	// remedy.
	Differences []string
}

// Again compares a database with a project that an earlier run has made of it. Tables and
// columns that are new get cards and fields; everything else is a difference, for the author to
// settle. The error says that a file of the project cannot be read.
func Again(db *dbschema.Database, opts *Options, is *Existing) (*Additions, error) {
	r := &again{is: is, out: &Additions{Files: map[string]string{}}, config: is.Config, cards: map[string]json.RawMessage{}}
	if err := r.read(); err != nil {
		return nil, err
	}
	with := Options{}
	if opts != nil {
		with = *opts
	}
	with.Known = r.known
	maps.Copy(r.keys, with.Keys)
	with.Keys = r.keys // those of views from the project, so that a second run needs no --view-key
	r.out.Project = New(db, &with)
	dir := "fronds/" + r.out.Project.Frond + "/"
	for _, e := range r.out.Project.Entities {
		r.entity(dir, e)
	}
	r.gone(db)
	if r.config != is.Config {
		r.out.Files[dir+"frond.yaml"] = r.config
	}
	return r.out, nil
}

// again is the state of one comparison.
type again struct {
	is     *Existing
	out    *Additions
	config string                     // frond.yaml, as it becomes
	cards  map[string]json.RawMessage // the project's cards, by the name of the entity
	known  []Known
	keys   map[string][]string // the columns of keys of several fields, by table
}

// read reads the project's description of the database.
func (r *again) read() error {
	config, err := schema.ToJSON("frond.yaml", []byte(r.is.Config))
	if err != nil {
		return err
	}
	for name, text := range r.is.Cards {
		if r.cards[name], err = schema.ToJSON("entities/"+name+".yaml", []byte(text)); err != nil {
			return err
		}
	}
	r.keys = map[string][]string{}
	for entity, entry := range jsontext.Members(jsontext.Get(config, "tables")) {
		card := r.cards[entity]
		k := Known{Entity: entity, Schema: textOf(jsontext.Get(entry, "schema")), Table: textOf(jsontext.Get(entry, "table")), Fields: map[string]string{}}
		if k.Table == "" {
			k.Table = schema.EntityKey(entity)
		}
		full := dbschema.FullName(k.Schema, k.Table)
		key := jsontext.Get(entry, "key")
		columnOf := func(field string) string {
			if named := dig(entry, "columns", field); named != nil {
				return textOf(named)
			}
			return field
		}
		for field, property := range jsontext.Members(jsontext.Get(card, "properties")) {
			role := dig(property, "x-kit", "role")
			many := textOf(dig(role, "relation", "kind")) == "many"
			primary := jsontext.KindOf(jsontext.Get(role, "primary")) == jsontext.True
			if many || dig(entry, "references", field) != nil || key != nil && primary {
				continue // it has no column
			}
			k.Fields[columnOf(field)] = field
			if primary {
				r.keys[full] = []string{columnOf(field)}
			}
		}
		for _, field := range jsontext.Elements(key) {
			r.keys[full] = append(r.keys[full], columnOf(textOf(field)))
		}
		r.known = append(r.known, k)
	}
	return nil
}

// dig is the value at a path of names in a JSON object, or nil.
func dig(value json.RawMessage, path ...string) json.RawMessage {
	for _, name := range path {
		value = jsontext.Get(value, name)
	}
	return value
}

// textOf is the text of a JSON string; "" for anything else.
func textOf(value json.RawMessage) string {
	if jsontext.KindOf(value) != jsontext.String {
		return ""
	}
	return jsontext.Unquote(value)
}

// differ notes a difference.
func (r *again) differ(format string, args ...any) {
	r.out.Differences = append(r.out.Differences, fmt.Sprintf(format, args...))
}

// entity adds the missing parts of one entity to the project.
func (r *again) entity(dir string, e *Entity) {
	file := dir + "entities/" + e.Name + ".yaml"
	was, there := r.is.Cards[e.Name]
	i := slices.IndexFunc(r.known, func(k Known) bool { return k.Entity == e.Name })
	switch {
	case i < 0 && there:
		r.differ("%s: the table would be the entity %s, and %s is another one; map it in frond.yaml, under tables, with a name of its own", e.Table.FullName(), e.Name, file)
		return
	case i < 0:
		r.out.Files[file] = e.card()
		r.addTable(e)
		r.out.Added = append(r.out.Added, fmt.Sprintf("the entity %s, of %s", e.Name, e.Table.FullName()))
		return
	case !there:
		r.differ("%s: frond.yaml maps it to %s, which has no card; restore %s, or remove the entry under tables", e.Table.FullName(), e.Name, file)
		return
	}
	card := was
	for _, f := range e.Fields {
		switch {
		case f.Column != nil && r.known[i].Fields[f.Column.Name] == "":
			card = r.addField(e, f, card, "the column "+f.Column.Name)
		case f.Column != nil:
			r.compare(e, f)
		case f.Made != nil:
			if dig(r.cards[e.Name], "properties", f.Name) == nil {
				r.differ("%s: %s refer to %s now; add to the card\n%sand to tables.%s in frond.yaml\n    references:\n      %s: [%s]", e.Table.FullName(), strings.Join(f.Made, ", "), f.Relation.To.Table.FullName(), f.property(), e.Name, f.Name, strings.Join(f.Made, ", "))
			}
		case f.Relation != nil && f.Relation.Many && r.lacks(f.Relation.To, f.Relation.Of):
			// Its other side is a difference, for the author to settle.
		case f.Relation != nil && !r.hasMany(e, f):
			card = r.addField(e, f, card, "the other side of "+f.Relation.To.Name)
		}
	}
	if card != was {
		r.out.Files[file] = card
	}
}

// lacks says whether the project has an entity without a field that is made of several.
func (r *again) lacks(e *Entity, f *Field) bool {
	card := r.cards[e.Name]
	return f.Made != nil && card != nil && dig(card, "properties", f.Name) == nil
}

// hasMany says whether the card has the other side of a relation already, under any name.
func (r *again) hasMany(e *Entity, f *Field) bool {
	for name, property := range jsontext.Members(jsontext.Get(r.cards[e.Name], "properties")) {
		relation := dig(property, "x-kit", "role", "relation")
		by := textOf(jsontext.Get(relation, "by"))
		if name == f.Name || textOf(jsontext.Get(relation, "kind")) == "many" && schema.EntityKey(textOf(jsontext.Get(relation, "to"))) == schema.EntityKey(f.Relation.To.Name) && (by == f.Relation.By || by == "") {
			return true
		}
	}
	return false
}

// addField writes a new field at the end of its card, and its column into frond.yaml.
func (r *again) addField(e *Entity, f *Field, card, what string) string {
	longer, ok := appended(card, f.property(), "properties", f.Name)
	if ok && f.mapping() != "" {
		var config string
		if config, ok = insertColumn(r.config, e.Name, f); ok {
			r.config = config
		}
	}
	if !ok {
		r.differ("%s: add the field %s (%s) by hand, since the file has another form than it was written in:\n%s%s", e.Table.FullName(), f.Name, what, f.property(), f.mapping())
		return card
	}
	r.out.Added = append(r.out.Added, fmt.Sprintf("the field %s.%s, %s", e.Name, f.Name, what))
	return longer
}

// compare notes where a field's card and its column are not alike.
func (r *again) compare(e *Entity, f *Field) {
	name := f.Name
	is := dig(r.cards[e.Name], "properties", name)
	text, err := schema.ToJSON("x.yaml", []byte("properties:\n"+f.property()))
	if err != nil {
		return
	}
	want := dig(text, "properties", name)
	for _, keyword := range []string{"type", "format", "enum", "maxLength"} {
		a, b := string(jsontext.Get(is, keyword)), string(jsontext.Get(want, keyword))
		if a != b {
			r.differ("%s.%s: the card says %s: %s, the column is %s, which would be %s", e.Name, name, keyword, cmp.Or(a, "nothing"), f.Column.Type.Name, cmp.Or(b, "nothing"))
		}
	}
	relation := dig(is, "x-kit", "role", "relation")
	if f.Relation != nil && relation == nil {
		r.differ("%s.%s: the column refers to %s now; write relation: { to: %s, kind: one } under its role", e.Name, name, f.Relation.To.Table.FullName(), schema.EntityKey(f.Relation.To.Name))
	}
}

// gone notes tables and columns of the project that the database has lost.
func (r *again) gone(db *dbschema.Database) {
	for _, k := range r.known {
		full := dbschema.FullName(k.Schema, k.Table)
		t := db.Table(k.Schema, k.Table)
		if t == nil {
			r.differ("%s is not in the database any more; remove entities/%s.yaml and its entry under tables in frond.yaml", full, k.Entity)
			continue
		}
		if t.Unfit != "" {
			r.differ("%s: %s; remove entities/%s.yaml and its entry under tables in frond.yaml", full, t.Unfit, k.Entity)
			continue
		}
		for _, column := range sorted(k.Fields) {
			if t.Column(column) == nil {
				r.differ("%s.%s is not in the database any more; remove the field %s of %s", full, column, k.Fields[column], k.Entity)
			}
		}
	}
}

// addTable writes the entries of a new entity into frond.yaml.
func (r *again) addTable(e *Entity) {
	longer, ok := appended(r.config, e.mapping(), "tables", e.Name)
	if door := e.door(); ok && door != "" {
		at := strings.Index("\n"+longer, "\ndoors:\n")
		if at >= 0 {
			at += len("doors:\n")
		} else if at = strings.Index("\n"+longer, "\ntables:"); at >= 0 {
			door = "doors:\n" + door + "\n"
		}
		if at >= 0 {
			longer = longer[:at] + door + longer[at:]
		}
		ok = at >= 0 && added(r.config, longer, "doors", e.Name)
	}
	if !ok {
		r.differ("%s: add %s to frond.yaml by hand, since the file has another form than it was written in:\n%s%s", e.Table.FullName(), e.Name, e.door(), e.mapping())
		return
	}
	r.config = longer
}

// appended is a YAML text with one more member at its end. ok says that the member is under the
// key, and that the rest is unchanged.
func appended(text, member, key, name string) (longer string, ok bool) {
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	longer = strings.Replace(text, "\n"+key+": {}\n", "\n"+key+":\n", 1) + member
	return longer, added(text, longer, key, name)
}

// added says that two YAML texts differ by one new member of the object under key.
func added(was, is, key, name string) bool {
	before, err1 := schema.ToJSON("x.yaml", []byte(was))
	after, err2 := schema.ToJSON("x.yaml", []byte(is))
	if err1 != nil || err2 != nil || dig(after, key, name) == nil {
		return false
	}
	for member, value := range jsontext.Members(before) {
		if member != key && member != "tables" && member != "doors" && string(jsontext.Get(after, member)) != string(value) {
			return false
		}
	}
	n := 0
	for member, value := range jsontext.Members(jsontext.Get(after, key)) {
		if old := dig(before, key, member); member != name && string(old) != string(value) {
			return false
		}
		n++
	}
	for member := range jsontext.Members(jsontext.Get(before, key)) {
		if member == name {
			n++ // it was there
		}
		n--
	}
	return n == 1
}

// insertColumn writes the column of a new field under its entity in frond.yaml.
func insertColumn(config, entity string, f *Field) (string, bool) {
	lines := strings.SplitAfter(config, "\n")
	tables := slices.Index(lines, "tables:\n")
	if tables < 0 {
		return config, false
	}
	at := slices.Index(lines[tables:], "  "+entity+":\n")
	if at < 0 {
		return config, false
	}
	at += tables
	end, columns := at+1, -1
	for ; end < len(lines) && strings.HasPrefix(lines[end], "   "); end++ {
		if lines[end] == "    columns:\n" {
			columns = end
		}
	}
	text, place := f.mapping(), columns+1
	if columns < 0 {
		text, place = "    columns:\n"+text, end
	}
	longer := strings.Join(slices.Insert(slices.Clone(lines), place, text), "")
	read := func(text string) json.RawMessage {
		data, err := schema.ToJSON("x.yaml", []byte(text))
		if err != nil {
			return nil
		}
		return dig(data, "tables", entity, "columns", f.Name)
	}
	return longer, read(config) == nil && textOf(read(longer)) == f.Column.Name
}
