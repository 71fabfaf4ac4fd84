// Package browser opens web addresses in the person's own browser: only https and http on this computer, always as one
// argument of a program and never through a shell. It fetches nothing itself. Its functions keep no state.
package browser

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// ErrRefused is wrapped by every refusal of Check.
var ErrRefused = errors.New("this address is not opened")

// Check parses an address and refuses what must not reach a browser: schemes that start programs or read files, plain
// http to another computer, user names that make one host look like another.
func Check(address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not a valid URL", ErrRefused)
	}
	host := parsed.Hostname()
	switch {
	case host == "":
		return nil, fmt.Errorf("%w: it names no host", ErrRefused)
	case parsed.User != nil:
		return nil, fmt.Errorf("%w: it has a user name in front of the host", ErrRefused)
	case parsed.Scheme == "https":
		return parsed, nil
	case parsed.Scheme == "http" && loopback(host):
		return parsed, nil
	case parsed.Scheme == "http":
		return nil, fmt.Errorf("%w: http is accepted for this computer only, others need https", ErrRefused)
	}
	return nil, fmt.Errorf("%w: only https is accepted, not %q", ErrRefused, parsed.Scheme)
}

func loopback(host string) bool {
	if strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}

// launch is how long a program that opens a browser may take before it counts as being the browser itself.
const launch = 2 * time.Second

// Open checks the address and opens it. BROWSER, a list of programs as in man(1) and xdg-open, comes first; then what
// the platform has. It returns once the browser was started.
func Open(ctx context.Context, address string) error {
	parsed, err := Check(address)
	if err != nil {
		return err
	}
	var failures []error
	for _, argv := range commands(runtime.GOOS, os.Getenv("BROWSER"), argument(parsed)) {
		err := start(ctx, argv)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return fmt.Errorf("no browser could be opened, copy the address instead: %w", errors.Join(failures...))
}

// argument writes an address as one that no opener takes for more than an address: behind the host everything but letters, digits and
// the signs that structure a URL is percent-encoded. A server reads it as the same.
func argument(address *url.URL) string {
	rest := *address
	rest.Scheme, rest.Host = "", ""
	var out strings.Builder
	out.WriteString(address.Scheme + "://" + address.Host)
	for _, b := range []byte(rest.String()) {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', '0' <= b && b <= '9', strings.IndexByte("-._/?#&=+%:@,", b) >= 0:
			out.WriteByte(b)
		default:
			fmt.Fprintf(&out, "%%%02X", b)
		}
	}
	return out.String()
}

// commands lists the programs to try, in order.
func commands(goos, environment, address string) [][]string {
	var list [][]string
	for _, entry := range strings.Split(environment, string(os.PathListSeparator)) {
		fields := strings.Fields(entry)
		if len(fields) == 0 {
			continue
		}
		named := false
		for i, field := range fields[1:] {
			if strings.Contains(field, "%s") {
				fields[i+1] = strings.ReplaceAll(field, "%s", address)
				named = true
			}
		}
		if !named {
			fields = append(fields, address)
		}
		list = append(list, fields)
	}
	switch goos {
	case "darwin":
		return append(list, []string{"open", address})
	case "windows":
		return append(list, []string{"rundll32", "url.dll,FileProtocolHandler", address})
	}
	return append(list, []string{"xdg-open", address}, []string{"gio", "open", address})
}

// start runs the program. Openers such as xdg-open end at once and tell by their status whether it worked; a browser
// named in BROWSER keeps running, and is left alone: it belongs to the person.
func start(ctx context.Context, argv []string) error {
	command := exec.Command(argv[0], argv[1:]...)
	Detach(command)
	if err := command.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", argv[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	timer := time.NewTimer(launch)
	defer timer.Stop()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("running %s: %w", argv[0], err)
		}
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}
