package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The containers are held by what is written: there is no engine where the tests run.
// docker-compose.yml and the Dockerfile are read and held to their rules, the steps
// that build the program are run as they stand, and the commands of the services too.

// composition is docker-compose.yml, as far as the rules look at it.
type composition struct {
	Services map[string]composed
	Networks map[string]*struct{ Internal bool }
	Volumes  map[string]any
}

type composed struct {
	Image, User string
	Build       *struct {
		Context string
		Args    map[string]string
	}
	Command     []string
	Environment map[string]string
	Ports       []string
	Networks    []string
	Volumes     []string
	ReadOnly    bool     `yaml:"read_only"`
	CapDrop     []string `yaml:"cap_drop"`
	SecurityOpt []string `yaml:"security_opt"`
	Privileged  bool
	NetworkMode string                                `yaml:"network_mode"`
	DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
	Healthcheck *struct{ Test []string }
}

// unset is ${NAME:-default} of a variable that nobody has set.
var unset = regexp.MustCompile(`\$\{[A-Z_]+:-([^}]*)\}`)

func readComposition(t *testing.T) composition {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var c composition
	text = unset.ReplaceAll(text, []byte("$1"))
	if err := yaml.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Services) == 0 {
		t.Fatal("docker-compose.yml has no services")
	}
	return c
}

func TestComposeRules(t *testing.T) {
	t.Parallel()
	c := readComposition(t)
	for name, s := range c.Services {
		complain := func(format string, args ...any) { t.Errorf(name+": "+format, args...) }
		if name == "gateway" {
			for _, p := range s.Ports {
				if !strings.HasPrefix(p, "127.0.0.1:") {
					complain("the port %s is published beyond this machine", p)
				}
			}
			if len(s.Ports) == 0 {
				complain("it publishes no port")
			}
		} else {
			if len(s.Ports) > 0 {
				complain("it publishes %v; only the gateway does", s.Ports)
			}
			for _, n := range s.Networks {
				if c.Networks[n] == nil || !c.Networks[n].Internal {
					complain("the network %s leads out", n)
				}
			}
		}
		if len(s.Networks) == 0 || s.NetworkMode != "" {
			complain("it is on the default network, which leads out")
		}
		if s.Healthcheck == nil || len(s.Healthcheck.Test) < 2 || s.Healthcheck.Test[0] != "CMD" {
			complain("it has no health check that runs without a shell")
		}
		if !regexp.MustCompile(`^[1-9][0-9]*:[1-9][0-9]*$`).MatchString(s.User) {
			complain("its user is %q; write numbers, and not root's", s.User)
		}
		if !s.ReadOnly || s.Privileged || !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
			complain("it is not locked: read_only, cap_drop: [ALL] and no-new-privileges:true")
		}
		for on, d := range s.DependsOn {
			if _, there := c.Services[on]; !there || d.Condition != "service_healthy" {
				complain("it depends on %s (%s); wait for a service that is healthy", on, d.Condition)
			}
		}
		for _, v := range s.Volumes {
			source, _, _ := strings.Cut(v, ":")
			if !strings.HasPrefix(source, "./") {
				if _, named := c.Volumes[source]; !named {
					complain("the volume %s is declared nowhere", source)
				}
				continue
			}
			if _, err := os.Stat(filepath.Join(root, source)); err != nil {
				complain("the folder %s is not there", source)
			}
			if !strings.HasSuffix(v, ":ro") {
				complain("the folder %s of this repository is mounted to be written", source)
			}
		}
		if s.Build != nil {
			for arg := range s.Build.Args {
				if !slices.Contains(readDockerfile(t).args(), arg) {
					complain("the Dockerfile has no ARG %s", arg)
				}
			}
		}
	}
	if dev := c.Services["gateway"].Environment["FROND_IDENTITY_DEV"]; dev != "false" {
		t.Errorf("the gateway believes the header of dev identity: %q", dev)
	}
}

// TestComposeConfig has the client itself read docker-compose.yml, where there is one
// with compose.
func TestComposeConfig(t *testing.T) {
	t.Parallel()
	for _, client := range [][]string{{"docker", "compose"}, {"docker-compose"}} {
		if exec.Command(client[0], append(client[1:], "version")...).Run() != nil {
			continue
		}
		cmd := exec.Command(client[0], append(client[1:], "--file", "docker-compose.yml", "config", "--quiet")...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s config: %v\n%s", strings.Join(client, " "), err, out)
		}
		return
	}
	t.Skip("there is no client with compose here; TestComposeRules holds what can be held without")
}

// TestComposedServices starts what the services start, on this machine: their
// commands and their environment with other addresses, and asks through all three.
func TestComposedServices(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	c := readComposition(t)
	fronds := map[string]*program{}
	for _, name := range []string{"catalog", "shipping"} {
		fronds[name] = startComposed(t, c.Services[name], fronds, "--port", "0")
	}
	gateway := startComposed(t, c.Services["gateway"], fronds, "--listen", "127.0.0.1:0")
	for _, p := range []*program{gateway, fronds["catalog"]} {
		if out, err := exec.Command(binary(t), "health", p.URL).CombinedOutput(); err != nil {
			t.Errorf("frond health %s: %v\n%s", p.URL, err, out)
		}
		if out, err := exec.Command(binary(t), "health", "--ready", p.URL).CombinedOutput(); err != nil {
			t.Errorf("frond health --ready %s: %v\n%s", p.URL, err, out)
		}
	}
	probe := c.Services["shipping"].Healthcheck.Test[1:]
	script := strings.ReplaceAll(probe[len(probe)-1], "http://127.0.0.1:4200", fronds["shipping"].URL)
	if out, err := exec.Command(probe[0], append(probe[1:len(probe)-1:len(probe)-1], script)...).CombinedOutput(); err != nil {
		t.Errorf("the health check of shipping: %v\n%s", err, out)
	}
	out, err := exec.Command(binary(t), "call", "product.list", "limit:=1", "fields=id", "--url", gateway.URL, "--json").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"total":83`)) {
		t.Errorf("the catalogue through the gateway: %v\n%s", err, out)
	}
	out, err = exec.Command(binary(t), "call", "rate.quote", "carrier=bicycle", "weight:=900", "--url", gateway.URL, "--json").CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte(`"cents":290`)) {
		t.Errorf("shipping through the gateway: %v\n%s", err, out)
	}
}

// startComposed runs a service's command with folders and addresses of this machine.
func startComposed(t *testing.T, s composed, others map[string]*program, more ...string) *program {
	t.Helper()
	store := "sqlite:" + filepath.Join(t.TempDir(), "composed.db")
	here := []string{"0.0.0.0", "127.0.0.1", "sqlite:/data/frond.db", store}
	folders := map[string]string{}
	for _, v := range s.Volumes {
		if parts := strings.Split(v, ":"); strings.HasPrefix(parts[0], "./") {
			folders[parts[1]] = filepath.Join(root, parts[0])
		}
	}
	for name, p := range others {
		port := map[string]string{"catalog": "4100", "shipping": "4200"}[name]
		here = append(here, "http://"+name+":"+port, p.URL)
	}
	change := strings.NewReplacer(here...)
	var args []string
	for _, a := range s.Command {
		for mounted, folder := range folders {
			if rest, ok := strings.CutPrefix(a, mounted); ok {
				a = folder + rest
			}
		}
		args = append(args, change.Replace(a))
	}
	args = append(args, more...) // the last of a flag counts
	if s.Image == "frond:local" {
		args = append([]string{binary(t)}, args...)
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = environment()
	for name, value := range s.Environment {
		cmd.Env = append(cmd.Env, name+"="+change.Replace(value))
	}
	return start(t, cmd)
}
