package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/envelope/signing"
)

// newKeys is frond keys. Every receiver gets the public file; a key is replaced by
// accepting both public files for a while (docs/signed-calls.md).
func newKeys(s *shell) *cobra.Command {
	cmd := newCommand("keys", 0, 1, "one name")
	force := cmd.Flags().Bool("force", false, "replace files that are there already")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		name := "gateway"
		if len(args) > 0 {
			name = args[0]
		}
		// Such a name would make files that begin with a dot, or no file at all.
		if base := filepath.Base(name); base == "." || base == ".." || base == string(filepath.Separator) {
			return fmt.Errorf("%q is not a name for two files; write one such as keys/gateway", name)
		}
		return s.makeKeys(name+".key.pem", name+".pub.pem", *force)
	}
	return cmd
}

// makeKeys writes a pair and says what to put where. stdout has the public key alone, as PEM,
// or with --json kid, files, PEM and JWK; the private key is in its file and nowhere else.
func (s *shell) makeKeys(privateFile, publicFile string, force bool) error {
	if !force {
		for _, file := range []string{privateFile, publicFile} {
			// Lstat: a link that leads nowhere is in the way, too.
			if _, err := os.Lstat(file); !errors.Is(err, os.ErrNotExist) {
				return fmt.Errorf("%s is there already; write another name, or --force to replace both files", file)
			}
		}
	}
	private, public, key, err := signing.NewKey()
	if err != nil {
		return err
	}
	// The private file is first: a run that ends between the two must not leave a public file
	// without its private key.
	for _, one := range []struct {
		file string
		text []byte
		mode os.FileMode
	}{{privateFile, private, 0o600}, {publicFile, public, 0o644}} {
		if err := place(one.file, one.text, one.mode, force); err != nil {
			return err
		}
	}
	// Every reader of the public file computes the same id (RFC 7638).
	id := signing.KeyID(key)
	if s.json {
		return s.writeValue(map[string]any{
			"kid": id, "private": privateFile, "public": publicFile, "pem": string(public), "jwk": signing.PublicJWK(key),
		})
	}
	if _, err := s.out.Write(public); err != nil {
		return err
	}
	fmt.Fprintf(s.stderr, `the key %[1]s is made:
%[2]s signs; it is the gateway's alone. In its gateway.yaml:
  signing: {key: %[2]s}
%[3]s verifies; every Frond that is called gets it:
  frond serve FROND --verify-keys %[3]s
`, id, privateFile, publicFile)
	return nil
}

// place writes a file whole or not at all, with the mode from its first byte on. A private key
// must not be readable for others for a moment, as it would be with a chmod after the write.
func place(file string, text []byte, mode os.FileMode, force bool) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".frond-key-*") // 0600
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", file, err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	switch {
	case err != nil:
	case force:
		err = os.Rename(temporary.Name(), file)
	default:
		err = os.Link(temporary.Name(), file) // fails where something is there by now
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", file, err)
	}
	return nil
}
