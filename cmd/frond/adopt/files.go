package adopt

import (
	"fmt"
	"strings"
)

// Files are the texts of the Frond's folder and of the report, by their paths in the project:
//
//	fronds/FROND/frond.yaml             doors, and where each entity's table is
//	fronds/FROND/entities/NAME.yaml     a card for each table
//	INIT.md                             the report
//
// The settings of the host are the caller's to write.
func (p *Project) Files() map[string]string {
	dir := "fronds/" + p.Frond + "/"
	files := map[string]string{dir + "frond.yaml": p.config(), "INIT.md": p.Report()}
	for _, e := range p.Entities {
		files[dir+"entities/"+e.Name+".yaml"] = e.card()
	}
	return files
}

// config is the frond.yaml. tables is last, so that a later run may add to it.
func (p *Project) config() string {
	var b strings.Builder
	b.WriteString("# yaml-language-server: $schema=../../.schema/frond.json\n")
	var doors strings.Builder
	for _, e := range p.Entities {
		doors.WriteString(e.door())
	}
	if doors.Len() > 0 {
		b.WriteString("doors:\n" + doors.String() + "\n")
	}
	b.WriteString("# The access rules. Without rules here everybody may do\n" +
		"# everything: a gateway in development says so once, one in production does not start.\n" +
		"# collectors:\n#   '*':\n#     - when: user != nil\n#     - deny: all\n" + p.suggestions() + "\n" +
		"# Where the rows of each entity are. The gateway changes none of these tables.\n")
	if len(p.Entities) == 0 {
		b.WriteString("tables: {}\n")
		return b.String()
	}
	b.WriteString("tables:\n")
	for _, e := range p.Entities {
		b.WriteString(e.mapping())
	}
	return b.String()
}

// door is the entity's entry under doors, or "".
func (e *Entity) door() string {
	var b strings.Builder
	if e.Plural != "" {
		fmt.Fprintf(&b, "    plural: %s\n", e.Plural)
	}
	if e.GraphQL != "" {
		fmt.Fprintf(&b, "    graphql: %s\n", e.GraphQL)
	}
	if e.Doorless {
		b.WriteString("    door: true # false takes it from every surface: sessions, tokens or migrations, by its name\n")
	}
	if e.Only != nil {
		fmt.Fprintf(&b, "    operations: { only: [%s] }\n", strings.Join(e.Only, ", "))
	}
	if b.Len() == 0 {
		return ""
	}
	return "  " + e.Name + ":\n" + b.String()
}

// mapping is the entity's entry under tables. It omits columns with the names of their fields.
func (e *Entity) mapping() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s:\n    table: %s\n", e.Name, yamlText(e.Table.Name))
	if e.Table.Schema != "" {
		fmt.Fprintf(&b, "    schema: %s\n", yamlText(e.Table.Schema))
	}
	if e.Key != nil {
		fmt.Fprintf(&b, "    key: [%s]\n", strings.Join(e.Key, ", "))
	}
	var columns, references strings.Builder
	for _, f := range e.Fields {
		columns.WriteString(f.mapping())
		if f.Made != nil {
			fmt.Fprintf(&references, "      %s: [%s]\n", f.Name, strings.Join(f.Made, ", "))
		}
	}
	if references.Len() > 0 {
		b.WriteString("    references:\n" + references.String())
	}
	if columns.Len() > 0 {
		b.WriteString("    columns:\n" + columns.String())
	}
	return b.String()
}

// mapping is the field's line under columns; "" where the names are equal.
func (f *Field) mapping() string {
	if f.Column == nil || f.Column.Name == f.Name {
		return ""
	}
	return fmt.Sprintf("      %s: %s\n", f.Name, yamlText(f.Column.Name))
}
