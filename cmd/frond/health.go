package main

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/frondhost/frond/gateway"
)

// healthTimeout is how long a service may take to say that it lives. It is shorter than
// the limits of common container runtimes, so that the message of a failure is written.
const healthTimeout = 2 * time.Second

// newHealth is frond health. It asks /livez: a gateway that drains must not be killed for it
// (docs/decisions/settings-and-commands.md). With --ready it asks /readyz, for probes that send requests
// elsewhere, and scripts that wait for a start.
func newHealth(_ *shell) *cobra.Command {
	cmd := newCommand("health", 0, 1, "one address")
	ready := cmd.Flags().Bool("ready", false, "ask whether calls are welcome (/readyz), and not only whether the process lives")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		// The default address of frond gateway.
		base := "http://127.0.0.1:8080"
		if len(args) > 0 {
			base = args[0]
		}
		if u, err := url.Parse(base); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return fmt.Errorf("%q is not an address; write one such as http://127.0.0.1:4100", base)
		}
		path := "/livez"
		if *ready {
			path = "/readyz"
		}
		if err := lives(cmd.Context(), strings.TrimSuffix(base, "/")+path); err != nil {
			// Exit code 1, not 3: an unreachable service is the answer of this command.
			return gateway.Broken(err)
		}
		return nil
	}
	return cmd
}

// lives asks once. It uses no proxy between a service and its own health. A redirect is an
// answer other than 200, since a transport does not follow it.
func lives(ctx context.Context, address string) error {
	ctx, cancel := context.WithTimeout(ctx, healthTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	// A new transport has no proxy; http.DefaultTransport would take one from the environment.
	transport := &http.Transport{DisableKeepAlives: true}
	if ip := net.ParseIP(req.URL.Hostname()); req.URL.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		// The certificate is for the public name of the service; the request contains no
		// secret.
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // as the line above says
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("%s does not answer: %w", address, err)
	}
	_ = resp.Body.Close() // the status says it all
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", address, resp.Status)
	}
	return nil
}
