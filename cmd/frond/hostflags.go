package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/cmd/frond/contract"
	"github.com/frondhost/frond/envelope/signing"
	"github.com/frondhost/frond/schema"
)

// hostFlags are the flags that name a host whose discovery document a command reads.
type hostFlags struct {
	// url and headers are --from and --header.
	url         string
	headers     []string
	key, sender string // to sign the request with; "": it is not signed
}

// add adds the flags that every such command has.
func (h *hostFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&h.url, "from", "", "the address of a host that has the Frond")
	flags.StringArrayVar(&h.headers, "header", nil, `a header for that host, such as "Authorization: Bearer …"`)
}

// addKey adds the flags of commands that may have to sign the request.
func (h *hostFlags) addKey(cmd *cobra.Command) {
	cmd.Flags().StringVar(&h.key, "key", "", "sign the request with the private key in this file, for a host that answers signed calls only")
	cmd.Flags().StringVar(&h.sender, "sender", "gateway", "the name of the sender, with --key")
}

// fetch reads the host's document, and finds a Frond in it. The flags are checked before
// anything is sent. A host that does not answer is exit code 3.
func (h *hostFlags) fetch(ctx context.Context, frond string) (*schema.Discovery, *schema.DiscoveredFrond, error) {
	if h.url == "" {
		return nil, nil, errors.New("--from is missing; write the address of the host, such as --from http://127.0.0.1:4100")
	}
	if !strings.HasPrefix(h.url, "http://") && !strings.HasPrefix(h.url, "https://") {
		return nil, nil, fmt.Errorf("--from cannot be %q; write an address such as http://127.0.0.1:4100", h.url)
	}
	headers, err := readHeaders(h.headers)
	if err != nil {
		return nil, nil, err
	}
	signer, err := h.signer()
	if err != nil {
		return nil, nil, err
	}
	return contract.Fetch(ctx, h.url, frond, headers, signer)
}

// signer signs the request, for a host that requires signed calls; nil without a key. The error
// names the file without its content.
func (h *hostFlags) signer() (*signing.Signer, error) {
	if h.key == "" {
		return nil, nil
	}
	text, err := os.ReadFile(h.key)
	if err != nil {
		return nil, fmt.Errorf("--key cannot be read: %w; name a private key of frond keys", err)
	}
	key, err := signing.ReadPrivate(text)
	if err != nil {
		return nil, fmt.Errorf("--key cannot be %s: %w", h.key, err)
	}
	return signing.NewSigner(key, h.sender), nil
}
