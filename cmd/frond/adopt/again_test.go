package adopt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/frondhost/frond/cmd/frond/adopt"
	"github.com/frondhost/frond/store/dbschema"
)

// music is a database before and after it changed.
func music(later bool) *dbschema.Database {
	artist := dbschema.Table{Name: "artists", Columns: []dbschema.Column{integer("id"), text("stage_name")}, Primary: []string{"id"}}
	album := dbschema.Table{Name: "albums", Columns: []dbschema.Column{integer("id"), integer("artist_id")}, Primary: []string{"id"}, ForeignKeys: []dbschema.Reference{ref("artist_id", "artists", "id")}}
	db := &dbschema.Database{Product: "SQLite", Tables: []dbschema.Table{album, artist}}
	if later {
		db.Tables[0].Columns = append(db.Tables[0].Columns, text("label_name"), integer("label_id"))
		db.Tables[0].ForeignKeys = append(db.Tables[0].ForeignKeys, ref("label_id", "labels", "id"))
		db.Tables[1].Columns[1] = dbschema.Column{Name: "stage_name", NotNull: true, Type: dbschema.Type{Name: "varchar(40)", Kind: dbschema.Text, Length: 40}}
		db.Tables = append(db.Tables, dbschema.Table{Name: "labels", Columns: []dbschema.Column{integer("id"), text("title")}, Primary: []string{"id"}},
			dbschema.Table{Name: "query", View: true, Columns: []dbschema.Column{integer("id")}, Primary: []string{"id"}})
	}
	return db
}

// existing is the project of music before it changed, with an author's edits.
func existing(edit func(files map[string]string)) *adopt.Existing {
	files := adopt.New(music(false), nil).Files()
	edit(files)
	is := &adopt.Existing{Config: files["fronds/app/frond.yaml"], Cards: map[string]string{}}
	for name, text := range files {
		if card, ok := strings.CutPrefix(name, "fronds/app/entities/"); ok {
			is.Cards[strings.TrimSuffix(card, ".yaml")] = text
		}
	}
	return is
}

// after is the project with the additions.
func after(is *adopt.Existing, more *adopt.Additions) map[string]string {
	files := map[string]string{"fronds/app/frond.yaml": is.Config}
	for name, text := range is.Cards {
		files["fronds/app/entities/"+name+".yaml"] = text
	}
	for name, text := range more.Files {
		files[name] = text
	}
	return files
}

func TestAgain(t *testing.T) {
	for name, c := range map[string]struct {
		edit               func(files map[string]string)
		added, differences []string
		kept               string // stands in a file afterwards
		compiles           bool
	}{
		"untouched": {
			edit: func(map[string]string) {},
			added: []string{
				"the field album.labelName, the column label_name", "the field album.labelId, the column label_id", "the entity label, of labels", "the entity query, of query",
			},
			differences: []string{
				`artist.stageName: the card says type: ["string","null"], the column is varchar(40), which would be "string"`,
				"artist.stageName: the card says maxLength: nothing, the column is varchar(40), which would be 40",
			},
			kept: "labelId: label_id", compiles: true,
		},
		"an entity and a field renamed, with comments": {
			edit: func(files map[string]string) {
				files["fronds/app/entities/band.yaml"] = strings.Replace(files["fronds/app/entities/artist.yaml"], "stageName:", "knownAs: # on stage", 1)
				delete(files, "fronds/app/entities/artist.yaml")
				files["fronds/app/entities/album.yaml"] = strings.Replace(files["fronds/app/entities/album.yaml"], "to: artist", "to: band", 1)
				files["fronds/app/frond.yaml"] = strings.NewReplacer("  artist:\n", "  band: # was artist\n", "stageName: stage_name", "knownAs: stage_name").Replace(files["fronds/app/frond.yaml"])
			},
			added: []string{
				"the field album.labelName, the column label_name", "the field album.labelId, the column label_id", "the entity label, of labels", "the entity query, of query",
			},
			differences: []string{
				`band.knownAs: the card says type: ["string","null"], the column is varchar(40), which would be "string"`,
				"band.knownAs: the card says maxLength: nothing, the column is varchar(40), which would be 40",
			},
			kept: "knownAs: # on stage", compiles: true,
		},
		"files of another form": {
			edit: func(files map[string]string) {
				files["fronds/app/entities/album.yaml"] += "required: [artistId]\n"
				files["fronds/app/frond.yaml"] = strings.Replace(files["fronds/app/frond.yaml"], "  album:\n    table: albums\n    columns:\n      artistId: artist_id\n", "  album: {table: albums, columns: {artistId: artist_id}}\n", 1)
			},
			added: []string{"the entity label, of labels", "the entity query, of query"},
			differences: []string{
				"albums: add the field labelName (the column label_name) by hand, since the file has another form than it was written in:\n  labelName:\n    type: [string, 'null']\n    x-kit: { lifecycle: { create: optional } }\n      labelName: label_name\n",
				"albums: add the field labelId (the column label_id) by hand, since the file has another form than it was written in:\n  labelId:\n    type: integer\n    x-kit: { role: { relation: { to: label, kind: one } } }\n      labelId: label_id\n",
				`artist.stageName: the card says type: ["string","null"], the column is varchar(40), which would be "string"`,
				"artist.stageName: the card says maxLength: nothing, the column is varchar(40), which would be 40",
			},
			kept: "required: [artistId]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			is := existing(c.edit)
			more, err := adopt.Again(music(true), nil, is)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.added, more.Added); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(c.differences, more.Differences); diff != "" {
				t.Error(diff)
			}
			files := after(is, more)
			all := ""
			for _, text := range files {
				all += text
			}
			if !strings.Contains(all, c.kept) {
				t.Errorf("%s is gone", c.kept)
			}
			if c.compiles {
				compileFiles(t, files)
				again, err := adopt.Again(music(true), nil, existing(func(was map[string]string) {
					clear(was)
					for name, text := range files {
						was[name] = text
					}
				}))
				if err != nil || len(again.Added) > 0 || len(again.Files) > 0 {
					t.Errorf("a second run adds %v %v", again.Added, err)
				}
			}
		})
	}
}

// TestAgainReferenceOfTwo: a reference of several columns that a project lacks is the author's to
// add, and nothing is added that would lead nowhere without it; one that is there is no difference.
func TestAgainReferenceOfTwo(t *testing.T) {
	db := func(led bool) *dbschema.Database {
		note := dbschema.Table{Name: "note", Columns: []dbschema.Column{integer("id"), integer("x"), integer("y")}, Primary: []string{"id"}}
		if led {
			note.ForeignKeys = []dbschema.Reference{{Columns: []string{"x", "y"}, Table: "line", To: []string{"a", "b"}}}
		}
		return &dbschema.Database{Product: "SQLite", Tables: []dbschema.Table{note, {Name: "line", Columns: []dbschema.Column{integer("a"), integer("b")}, Primary: []string{"a", "b"}}}}
	}
	for _, led := range []bool{false, true} {
		files := adopt.New(db(led), nil).Files()
		is := &adopt.Existing{Config: files["fronds/app/frond.yaml"], Cards: map[string]string{}}
		for _, name := range []string{"note", "line"} {
			is.Cards[name] = files["fronds/app/entities/"+name+".yaml"]
		}
		more, err := adopt.Again(db(true), nil, is)
		if err != nil {
			t.Fatal(err)
		}
		if len(more.Files) > 0 || len(more.Added) > 0 || len(more.Differences) != map[bool]int{false: 1}[led] {
			t.Errorf("%v: added %v, differs %v", led, more.Added, more.Differences)
		}
		if !led && !strings.Contains(more.Differences[0], "references:\n      lineId: [x, y]") {
			t.Errorf("the difference does not say what to write: %s", more.Differences[0])
		}
	}
}
