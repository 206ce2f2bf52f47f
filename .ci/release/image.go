package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// image writes the image of the Linux programs, as a tar of an OCI layout: the program,
// certificates and an empty folder for rows, as the Dockerfile has them, with the list of what the
// program contains.
func (r *release) image(programs map[platform]string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range platforms {
		program, built := programs[p]
		if !built || p.os != "linux" {
			continue
		}
		img, err := r.imageOf(p, program)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}}})
	}
	if manifest, err := index.IndexManifest(); err != nil || len(manifest.Manifests) == 0 {
		return err
	}
	dir := filepath.Join(r.work, "image")
	if _, err := layout.Write(dir, index); err != nil {
		return err
	}
	files, err := below(dir)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := tarred(&out, files, r.date); err != nil {
		return err
	}
	return r.write("frond_"+r.version+"_oci.tar", out.Bytes())
}

// imageOf returns the image of one program.
func (r *release) imageOf(p platform, program string) (v1.Image, error) {
	files := []file{{path: "data/", mode: 0o755, user: 65532}}
	for _, f := range []struct {
		from, to string
		mode     os.FileMode
	}{{r.roots, "etc/ssl/certs/ca-certificates.crt", 0o644}, {program, "frond", 0o755}, {filepath.Join(r.out, r.name(p)+".cdx.json"), "usr/share/doc/frond/frond.cdx.json", 0o644}} {
		data, err := os.ReadFile(f.from)
		if err != nil {
			return nil, err
		}
		files = append(files, file{path: f.to, mode: f.mode, data: data})
	}
	for _, f := range r.papers {
		if f.path == "LICENSE" || f.path == "THIRD_PARTY_LICENSES" {
			f.path = "usr/share/doc/frond/" + f.path
			files = append(files, f)
		}
	}
	var tar bytes.Buffer
	if err := tarred(&tar, files, r.date); err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(tar.Bytes())), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	img, err := mutate.Append(mutate.MediaType(mutate.ConfigMediaType(empty.Image, types.OCIConfigJSON), types.OCIManifestSchema1), mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: r.date}, CreatedBy: "make release"},
	})
	if err != nil {
		return nil, err
	}
	return mutate.ConfigFile(img, r.config(p, img))
}

// config returns the configuration of an image whose layers are those of img.
func (r *release) config(p platform, img v1.Image) *v1.ConfigFile {
	c, err := img.ConfigFile()
	if err != nil {
		panic(fmt.Sprint("the configuration of an image in memory: ", err))
	}
	c = c.DeepCopy()
	c.OS, c.Architecture, c.Created = p.os, p.arch, v1.Time{Time: r.date}
	c.Config = v1.Config{
		User: "65532:65532", Entrypoint: []string{"/frond"}, Cmd: []string{"gateway", "/project"},
		Env: []string{"FROND_STORE=sqlite:/data/frond.db"}, Volumes: map[string]struct{}{"/data": {}},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "4100/tcp": {}},
		Healthcheck:  &v1.HealthConfig{Test: []string{"CMD", "/frond", "health", "http://127.0.0.1:8080"}, Interval: 10 * time.Second, Timeout: 3 * time.Second, StartPeriod: 10 * time.Second},
		Labels: map[string]string{
			"org.opencontainers.image.title": "frond", "org.opencontainers.image.description": "Cards become GraphQL, REST and JSON-RPC",
			"org.opencontainers.image.source": "https://github.com/frondhost/frond", "org.opencontainers.image.licenses": "MIT",
			"org.opencontainers.image.version": "v" + r.version, "org.opencontainers.image.revision": r.commit, "org.opencontainers.image.created": r.date.Format(time.RFC3339),
		},
	}
	return c
}
