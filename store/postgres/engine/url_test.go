package engine

import (
	"strings"
	"testing"
)

func TestURLs(t *testing.T) {
	for _, c := range []struct {
		name, url string
		says      []string // of the error; none: it is read
	}{
		{"the whole form", "postgres://shop:secret@db.test:5432/shop?sslmode=disable&pool=transaction&schema=shop&connections=8", nil},
		{"a socket's folder", "postgres:///shop?host=/run/postgresql", nil},
		{"only a socket's folder", "postgres://?host=/run/postgresql", nil},
		{"all of it left to variables and defaults", "postgres://", nil},
		{"no URL", "host=db user=shop password=secret", []string{"write postgres://user:password@host:5432/database"}},
		{"a password that is not escaped", "postgres://shop:sec%ret@db/shop", []string{"%40"}},
		{"no server", "postgres:shop", []string{"has no server"}},
		{"an unknown parameter", "postgres://shop:secret@db/shop?poool=transaction", []string{`"poool"`, "pool", "sslmode"}},
		{"a parameter twice", "postgres://shop:secret@db/shop?pool=direct&pool=transaction", []string{"pool 2 times"}},
		{"another pool", "postgres://shop:secret@db/shop?pool=session", []string{"pool=transaction", "pool=direct"}},
		{"two schemas", "postgres://shop:secret@db/shop?schema=a&search_path=b", []string{"both schema and search_path"}},
		{"a list of schemas", "postgres://shop:secret@db/shop?schema=a,b", []string{"one schema"}},
		{"one connection", "postgres://shop:secret@db/shop?connections=1", []string{"from 2 to 10000"}},
		{"an unknown mode of TLS", "postgres://shop:secret@db/shop?sslmode=on", []string{"sslmode"}},
		{"a certificate that is not there", "postgres://shop:secret@db/shop?sslmode=verify-full&sslrootcert=/nowhere.pem", []string{"/nowhere.pem"}},
		{"a port that is none", "postgres://shop:secret@db:seven/shop", []string{"write postgres://"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := ParseURL(c.url)
			if c.says == nil {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			if err == nil {
				t.Fatalf("was read as %+v", a)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the error does not say %q: %v", s, err)
				}
			}
			if strings.Contains(err.Error(), "secret") || strings.Contains(err.Error(), "sec%ret") {
				t.Errorf("the error shows the password: %v", err)
			}
		})
	}
}

func TestWhatAURLSays(t *testing.T) {
	t.Setenv("PGOPTIONS", "-c search_path=elsewhere")
	a, err := ParseURL("postgres://shop@db/shop?pool=transaction&search_path=orders&connections=8")
	if err != nil {
		t.Fatal(err)
	}
	if !a.Pooled || a.Schema != "orders" || a.Connections != 8 || a.Config.Host != "db" {
		t.Errorf("read %+v", a)
	}
	if len(a.Config.RuntimeParams) != 2 || a.Config.RuntimeParams["application_name"] != "frond" {
		t.Errorf("settings of the session: %v", a.Config.RuntimeParams)
	}
}
