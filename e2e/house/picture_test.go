package house_test

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pictured is the place of the picture in docs/design.md.
var pictured = regexp.MustCompile("(?s)(<!-- picture -->\n```\n).*?(```\n<!-- end -->)")

// TestPicture draws the packages on floors from what they import and compares that with
// docs/design.md; -update writes it there.
func TestPicture(t *testing.T) {
	const page = "docs/design.md"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !pictured.Match(text) {
		t.Fatal(page + " has no place for the picture")
	}
	want := pictured.ReplaceAllString(string(text), "${1}"+picture(t)+"${2}")
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("the picture in %s is not what the packages import; run go test ./e2e/house -run TestPicture -update", page)
	}
}

// picture has a line for each package of the product: its floor, its name, and the
// packages it imports, those left out that it reaches through another one. A package
// stands one floor above the highest it imports.
func picture(t *testing.T) string {
	imports := map[string][]string{}
	for _, f := range sources(t) {
		if strings.HasSuffix(f.name, "_test.go") || beside(f.pkg) {
			continue
		}
		if _, ok := imports[f.pkg]; !ok {
			imports[f.pkg] = nil
		}
		for _, imp := range f.imports {
			if ours, ok := strings.CutPrefix(imp, module+"/"); ok && !slices.Contains(imports[f.pkg], ours) {
				imports[f.pkg] = append(imports[f.pkg], ours)
			}
		}
	}
	floor := map[string]int{}
	var height func(pkg string) int
	height = func(pkg string) int {
		if floor[pkg] == 0 {
			floor[pkg] = 1
			for _, imp := range imports[pkg] {
				floor[pkg] = max(floor[pkg], height(imp)+1)
			}
		}
		return floor[pkg]
	}
	var reaches func(pkg, to string) bool
	reaches = func(pkg, to string) bool {
		return slices.ContainsFunc(imports[pkg], func(imp string) bool { return imp == to || reaches(imp, to) })
	}
	var pkgs []string
	arrows := 0
	for pkg := range imports {
		height(pkg)
		pkgs = append(pkgs, pkg)
		arrows += len(imports[pkg])
	}
	slices.SortFunc(pkgs, func(a, b string) int {
		return cmp.Or(cmp.Compare(floor[b], floor[a]), strings.Compare(a, b))
	})
	var b strings.Builder
	last := 0
	for _, pkg := range pkgs {
		var direct []string
		for _, imp := range imports[pkg] {
			if !slices.ContainsFunc(imports[pkg], func(other string) bool { return other != imp && reaches(other, imp) }) {
				direct = append(direct, imp)
			}
		}
		slices.Sort(direct)
		no := ""
		if floor[pkg] != last {
			last = floor[pkg]
			no = fmt.Sprint(last)
		}
		name := pkg
		if name == "." {
			name = "frond"
		}
		line := fmt.Sprintf("%2s  %-27s", no, name)
		if len(direct) > 0 {
			line += "-> " + strings.Join(direct, "  ")
		}
		b.WriteString(strings.TrimSpace(line[:4]) + strings.Repeat(" ", 4-len(strings.TrimSpace(line[:4]))) + strings.TrimRight(line[4:], " ") + "\n")
	}
	fmt.Fprintf(&b, "%d packages, %d imports\n", len(pkgs), arrows)
	return b.String()
}

// beside says whether a package is no part of the product: examples, tests, measurements.
func beside(pkg string) bool {
	for _, dir := range []string{"examples", "e2e", "bench", "store/storetest"} {
		if pkg == dir || strings.HasPrefix(pkg, dir+"/") {
			return true
		}
	}
	return false
}
