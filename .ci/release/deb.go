package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"fmt"
	"path"
)

// completionPaths are the places of completions in a Debian package.
var completionPaths = map[string]string{"frond.bash": "usr/share/bash-completion/completions/frond", "_frond": "usr/share/zsh/vendor-completions/_frond", "frond.fish": "usr/share/fish/vendor_completions.d/frond.fish"}

// deb writes the Debian package of a platform: an ar archive of a version, the package's description
// and its files (deb(5)).
func (r *release) deb(p platform, program []byte) error {
	files := []file{{path: "./usr/bin/frond", mode: 0o755, data: program}}
	for _, f := range r.papers {
		to := ""
		switch dir, name := path.Dir(f.path), path.Base(f.path); {
		case dir == "man/man1":
			compressed, err := gzipped(f.data)
			if err != nil {
				return err
			}
			to, f.data = "usr/share/man/man1/"+name+".gz", compressed
		case dir == "completions":
			to = completionPaths[name]
		case name == "LICENSE":
			to = "usr/share/doc/frond/copyright"
		default:
			to = "usr/share/doc/frond/" + name
		}
		if to != "" {
			files = append(files, file{path: "./" + to, mode: 0o644, data: f.data})
		}
	}
	log := fmt.Sprintf("frond (%s) stable; urgency=medium\n\n  * The changes are in CHANGELOG.md of the project.\n\n -- The frond authors <frond@frondhost.dev>  %s\n", r.version, r.date.Format("Mon, 02 Jan 2006 15:04:05 -0700"))
	changes, err := gzipped([]byte(log))
	if err != nil {
		return err
	}
	files = append(files, file{path: "./usr/share/doc/frond/changelog.gz", mode: 0o644, data: changes})
	var sums bytes.Buffer
	size := 0
	for _, f := range files {
		fmt.Fprintf(&sums, "%x  %s\n", md5.Sum(f.data), f.path[2:]) //nolint:gosec // the format has it
		size += len(f.data)
	}
	control := fmt.Sprintf(`Package: frond
Version: %s
Section: net
Priority: optional
Architecture: %s
Maintainer: The frond authors <frond@frondhost.dev>
Installed-Size: %d
Homepage: https://github.com/frondhost/frond
Description: cards become GraphQL, REST and JSON-RPC
 frond turns JSON Schema documents into an API over SQLite or PostgreSQL, with
 the same access rules on every surface, and puts it in front of services in
 any language.
`, r.version, p.arch, (size+1023)/1024)
	about, err := tarGzip([]file{{path: "./control", mode: 0o644, data: []byte(control)}, {path: "./md5sums", mode: 0o644, data: sums.Bytes()}}, r.date)
	if err != nil {
		return err
	}
	data, err := tarGzip(files, r.date)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	out.WriteString("!<arch>\n")
	for _, m := range []file{{path: "debian-binary", data: []byte("2.0\n")}, {path: "control.tar.gz", data: about}, {path: "data.tar.gz", data: data}} {
		fmt.Fprintf(&out, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.path, r.date.Unix(), 0, 0, "100644", len(m.data))
		out.Write(m.data)
		if len(m.data)%2 == 1 {
			out.WriteByte('\n')
		}
	}
	return r.write("frond_"+r.version+"_"+p.arch+".deb", out.Bytes())
}

// gzipped returns data as policy has it for man pages and change logs: gzip -9n.
func gzipped(data []byte) ([]byte, error) {
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(data)
	}
	if err == nil {
		err = z.Close()
	}
	return out.Bytes(), err
}
