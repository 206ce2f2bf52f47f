package main

import (
	"bytes"
	"debug/buildinfo"
	"fmt"
	"slices"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// bill returns the list of what a program contains, as CycloneDX: the modules that the linker has
// written into it, and the npm packages of the page that it embeds.
func (r *release) bill(p platform, program string) ([]byte, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	list := []cdx.Component{{Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, cdx.Component{Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: "pkg:golang/" + m.Path + "@" + m.Version})
	}
	npm, err := r.npm()
	if err != nil {
		return nil, err
	}
	list = append(list, npm...)
	for i := range list {
		list[i].BOMRef = list[i].PackageURL
	}
	b := cdx.NewBOM()
	b.Metadata = &cdx.Metadata{
		Timestamp: r.date.Format(time.RFC3339),
		Component: &cdx.Component{
			BOMRef: "pkg:github/frondhost/frond@v" + r.version, Type: cdx.ComponentTypeApplication, Name: "frond", Version: "v" + r.version,
			Description: p.os + "/" + p.arch, Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}},
		},
	}
	b.Components = &list
	var out bytes.Buffer
	err = cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).Encode(b)
	return out.Bytes(), err
}

// npm returns the packages of the embedded page. The file of licenses lists them; its test compares
// it with the lock file.
func (r *release) npm() (list []cdx.Component, err error) {
	at := slices.IndexFunc(r.papers, func(f file) bool { return f.path == "THIRD_PARTY_LICENSES" })
	if at < 0 {
		return nil, fmt.Errorf("the release has no THIRD_PARTY_LICENSES")
	}
	for line := range strings.Lines(string(r.papers[at].data)) {
		words := strings.Fields(line)
		if len(words) != 3 || words[2] != "(npm)" {
			continue
		}
		list = append(list, cdx.Component{Type: cdx.ComponentTypeLibrary, Name: words[0], Version: words[1], PackageURL: "pkg:npm/" + strings.Replace(words[0], "@", "%40", 1) + "@" + words[1]})
	}
	slices.SortFunc(list, func(a, b cdx.Component) int { return strings.Compare(a.PackageURL, b.PackageURL) })
	if len(list) == 0 {
		return nil, fmt.Errorf("THIRD_PARTY_LICENSES lists no npm package")
	}
	return list, nil
}
