package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/frondhost/frond/cmd/frond/diff"
	"github.com/frondhost/frond/facade"
	"github.com/frondhost/frond/gateway"
	"github.com/frondhost/frond/schema"
	"github.com/frondhost/frond/schema/jsontext"
	"github.com/frondhost/frond/store/migration"
)

// readCallers reads --as, which needs --store.
func readCallers(flags []string, store string) (all []diff.Caller, err error) {
	if store == "" && len(flags) > 0 {
		return nil, errors.New("--as needs a store: the rights of single callers are compared over its rows; add --store sqlite:FILE or postgres://…")
	}
	for _, text := range flags {
		c := diff.Caller{Name: text}
		if kind := jsontext.KindOf([]byte(text)); jsontext.Check([]byte(text)) != nil || kind != jsontext.Object && kind != jsontext.Null {
			return nil, fmt.Errorf(`--as %s is no state; write such as --as '{"user":{"id":"ada"}}', or --as null for an anonymous caller`, text)
		}
		if err := json.Unmarshal([]byte(text), &c.State); err != nil {
			return nil, err
		}
		if c.State == nil {
			c.Name = "nobody"
		}
		all = append(all, c)
	}
	return all, nil
}

// effects adds the effects on the callers of rights.yaml, and on others, to a report. The store fits one of the versions; rules of the other one are
// asked over its fields.
func (r *versionReader) effects(ctx context.Context, report *diff.Report, was, is *diff.Version, store string, others []diff.Caller) error {
	if len(r.projects) != 2 {
		return errors.New("--store compares access rules, which a bundle and a host do not have; name two folders or revisions")
	}
	if path, isFile := strings.CutPrefix(store, "sqlite:"); isFile && path != "" {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		store = "sqlite:" + abs
	}
	callers, err := r.callers(others)
	if err != nil {
		return err
	}
	var lacks []string
	for _, p := range r.projects {
		config := *p.config
		config.Store, config.Remotes = store, nil
		opts := &gateway.Options{Config: config, Logger: r.logger(&config), Unregistered: func(schema.Fault) {}}
		err := gateway.WithRows(ctx, p.version.Placed(), opts, func(ctx context.Context, f *facade.Facade) error {
			return report.Effects(ctx, was, is, f, callers)
		})
		differs := migration.Differs(nil)
		if !errors.As(err, &differs) {
			return err
		}
		lacks = append(lacks, fmt.Sprintf("%s: %s", p.version.Name, differs))
	}
	return fmt.Errorf("the store fits neither version (%s); name the store of a gateway that serves one of them", strings.Join(lacks, "; "))
}

// callers returns the callers of rights.yaml of both versions, each state once under its name in the new version, and others.
func (r *versionReader) callers(others []diff.Caller) (all []diff.Caller, err error) {
	all = others
	for _, p := range slices.Backward(r.projects) {
		named, err := namedCallers(p.source)
		if err != nil {
			return nil, err
		}
		for _, c := range named {
			if !slices.ContainsFunc(all, func(other diff.Caller) bool { return reflect.DeepEqual(other.State, c.State) }) {
				all = append(all, diff.Caller(c))
			}
		}
	}
	if len(all) == 0 {
		return nil, errors.New(`--store compares the rights of callers, and the versions name none; write a rights.yaml, or add --as '{"user":{"id":"ada"}}'`)
	}
	return all, nil
}
