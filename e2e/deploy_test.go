package e2e_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/frondhost/frond/gateway"
)

// manifest is a document of deploy/, as far as the rules look at it.
type manifest struct {
	Kind string
	Spec struct {
		Selector any
		Template struct {
			Metadata struct{ Labels map[string]string }
			Spec     struct {
				Grace           int `yaml:"terminationGracePeriodSeconds"`
				SecurityContext struct {
					RunAsNonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Containers []deployed
			}
		}
	}
}

type deployed struct {
	Args []string
	Env  []struct {
		Name, Value string
		ValueFrom   struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	Ports           []struct{ Name string }
	StartupProbe    probed `yaml:"startupProbe"`
	LivenessProbe   probed `yaml:"livenessProbe"`
	ReadinessProbe  probed `yaml:"readinessProbe"`
	Resources       struct{ Limits map[string]string }
	SecurityContext struct {
		ReadOnly bool `yaml:"readOnlyRootFilesystem"`
	} `yaml:"securityContext"`
}

type probed struct {
	HTTPGet struct{ Path, Port string } `yaml:"httpGet"`
}

// TestDeployRules holds the manifests of deploy/ to what the program has: its commands, variables, paths of
// probes and times of a stop.
func TestDeployRules(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(root, "deploy", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatal("deploy/ has no manifests", err)
	}
	kinds := map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for d := yaml.NewDecoder(bytes.NewReader(text)); ; {
			var m manifest
			if err := d.Decode(&m); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			kinds[m.Kind]++
			if pod := m.Spec.Template.Spec; len(pod.Containers) > 0 {
				if !pod.SecurityContext.RunAsNonRoot {
					t.Errorf("%s: the pod may run as root", file)
				}
				if stop := 20 * time.Second; m.Kind == "Deployment" && time.Duration(pod.Grace)*time.Second <= stop {
					t.Errorf("%s: terminationGracePeriodSeconds is %d, within shutdown.delay and shutdown.timeout", file, pod.Grace)
				}
				for _, c := range pod.Containers {
					checkDeployed(t, file, m.Kind, &c)
				}
			}
		}
	}
	for _, kind := range []string{"Deployment", "Service", "Job"} {
		if kinds[kind] != 1 {
			t.Errorf("deploy/ has %d documents of the kind %s, want one", kinds[kind], kind)
		}
	}
}

// checkDeployed checks one container.
func checkDeployed(t *testing.T, file, kind string, c *deployed) {
	var command []string
	for _, arg := range c.Args {
		if !strings.HasPrefix(arg, "/") {
			command = append(command, arg)
		}
	}
	if r := run(t, "", append(command, "--help")...); r.code != 0 {
		t.Errorf("%s: frond %s: %s", file, strings.Join(command, " "), r.stderr)
	}
	var environ []string
	secrets := map[string]bool{}
	for _, e := range c.Env {
		if e.ValueFrom.SecretKeyRef.Key != "" {
			secrets[e.Name] = true
		} else {
			environ = append(environ, e.Name+"="+e.Value)
		}
	}
	for _, pair := range environ {
		if _, name, isVariable := strings.Cut(pair, "=env:"); isVariable && !secrets[name] {
			t.Errorf("%s: %s, and no secret gives the variable", file, pair)
		}
	}
	if unknown := gateway.UnknownVariables(environ); unknown != nil {
		t.Errorf("%s: %v set nothing", file, unknown)
	}
	if _, err := gateway.LoadConfig(t.TempDir(), "", environ); err != nil {
		t.Errorf("%s: %v", file, err)
	}
	if c.Resources.Limits["memory"] == "" || !c.SecurityContext.ReadOnly {
		t.Errorf("%s: a container without a memory limit, or with a root file system that it may write", file)
	}
	if kind != "Deployment" {
		return
	}
	for path, p := range map[string][]probed{"/livez": {c.StartupProbe, c.LivenessProbe}, "/readyz": {c.ReadinessProbe}} {
		for _, p := range p {
			if p.HTTPGet.Path != path || p.HTTPGet.Port != c.Ports[0].Name {
				t.Errorf("%s: a probe asks %+v, want %s", file, p.HTTPGet, path)
			}
		}
	}
}
