package contract

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// PackageOptions are options of [Model.Packages]; the zero value is fine. No time, path or
// address is among them, so that packages are reproducible (docs/decisions/contracts.md).
type PackageOptions struct {
	Module  string // Go's module path; "": frond.local/FROND
	NPM     string // npm's name; "": FROND
	Version string // "": 0.0.0-c and the beginning of the contract's hash
	Host    string // the version of github.com/frondhost/frond the Go module asks for; "": v0.0.0
}

// Packages returns a Frond's contract as two installable packages: a Go module in go/ and an
// npm package in npm/. The same cards and options give the same bytes. The error is an option
// that Go or npm would refuse.
//
//	go/   contract.go support.go version.go go.mod README.md contract.json bundle.json
//	npm/  index.js client.js query.js package.json README.md contract.json bundle.json
func (m *Model) Packages(o PackageOptions) (Files, error) {
	if err := o.complete(m); err != nil {
		return nil, err
	}
	module, err := m.goModule(&o)
	if err != nil {
		return nil, err
	}
	npm, err := m.npm(&o)
	if err != nil {
		return nil, err
	}
	files := under("go", module)
	maps.Copy(files, under("npm", npm))
	return files, nil
}

// NPM returns the npm package alone, its files at the top.
func (m *Model) NPM(o PackageOptions) (Files, error) {
	if err := o.complete(m); err != nil {
		return nil, err
	}
	return m.npm(&o)
}

// complete fills in the defaults. The error is an option that Go or npm would refuse.
func (o *PackageOptions) complete(m *Model) error {
	if o.Version == "" {
		// A pre-release of 0.0.0: any version that somebody chooses later is newer.
		sum := sha256.Sum256(m.Contract)
		o.Version = "0.0.0-c" + hex.EncodeToString(sum[:6])
	}
	o.Module = cmp.Or(o.Module, "frond.local/"+strings.ToLower(m.Frond))
	o.NPM = cmp.Or(o.NPM, strings.ToLower(m.Frond))
	o.Host = cmp.Or(o.Host, "v0.0.0")
	return o.check()
}

var (
	// https://semver.org, without build metadata: neither Go nor npm keep that.
	semver = regexp.MustCompile(`^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)(-(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)(\.(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*))*)?$`)
	// A path of Go's modules, such as example.com/contracts/catalog.
	module = regexp.MustCompile(`^[A-Za-z0-9~_-][A-Za-z0-9._~-]*(/[A-Za-z0-9~_-][A-Za-z0-9._~-]*)*$`)
	// A name of npm, with a scope or without: @shop/catalog.
	npm = regexp.MustCompile(`^(@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*$`)
)

// check refuses names that Go or npm would refuse.
func (o *PackageOptions) check() error {
	switch {
	case !semver.MatchString(o.Version):
		return fmt.Errorf("the version cannot be %q; write three numbers, such as 1.4.0", o.Version)
	case !module.MatchString(o.Module):
		return fmt.Errorf("a Go module cannot be called %q; write a path such as example.com/contracts/catalog", o.Module)
	case !npm.MatchString(o.NPM) || len(o.NPM) > 214:
		return fmt.Errorf("an npm package cannot be called %q; write a lower-case name such as @shop/catalog", o.NPM)
	}
	return nil
}

// goModule writes the files of the Go module. The package is called after the last element of
// the module's path.
func (m *Model) goModule(o *PackageOptions) (Files, error) {
	pkg := GoPackage(o.Module[strings.LastIndexByte(o.Module, '/')+1:])
	files, err := m.Go(pkg)
	if err != nil {
		return nil, err
	}
	files["version.go"] = fmt.Appendf(nil, "%spackage %s\n\n// Version is the contract's.\nconst Version = %q\n", generated, pkg, o.Version)
	files["go.mod"] = fmt.Appendf(nil, "module %s\n\ngo 1.26.0\n\nrequire github.com/frondhost/frond %s\n", o.Module, o.Host)
	files["README.md"], err = written("go", "README.md", struct {
		*PackageOptions
		Frond, Package, Created string
	}{o, m.Frond, pkg, m.created()}, goFunctions)
	return files, err
}

// created is the type of a row that callers can create, or "".
func (m *Model) created() string {
	for _, d := range m.Doors {
		for _, op := range d.Ops {
			if op.Builtin && op.Name == "create" {
				return d.Type
			}
		}
	}
	return ""
}

// npm writes the files of the npm package. The package has no dependencies; Node 18 is the
// first version with fetch.
func (m *Model) npm(o *PackageOptions) (Files, error) {
	files, err := m.typeScript()
	if err != nil {
		return nil, err
	}
	about := struct {
		*PackageOptions
		Frond string
	}{o, m.Frond}
	if files["package.json"], err = written("npm", "package.json", about, tsFunctions); err != nil {
		return nil, err
	}
	files["README.md"], err = written("npm", "README.md", about, tsFunctions)
	return files, err
}
