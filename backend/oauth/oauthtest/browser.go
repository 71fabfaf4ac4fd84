package oauthtest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// Landing is where a browser ended up.
type Landing struct {
	URL    string // the last address
	Status int    // 0 for an address that no browser loads itself, such as a custom scheme
	Body   string
}

// Browse is a browser without a person: it opens an authorization URL and follows what comes back, over http to loopback only. A custom
// scheme is where it stops.
func Browse(ctx context.Context, address string) (Landing, error) {
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for range 5 {
		u, err := url.Parse(address)
		if err != nil {
			return Landing{}, err
		}
		if u.Scheme != "http" {
			return Landing{URL: address}, nil
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return Landing{}, err
		}
		response, err := client.Do(request)
		if err != nil {
			return Landing{URL: address}, err
		}
		body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		_ = response.Body.Close()
		if err != nil {
			return Landing{}, err
		}
		if next := response.Header.Get("Location"); next != "" && response.StatusCode/100 == 3 {
			to, err := u.Parse(next)
			if err != nil {
				return Landing{}, err
			}
			address = to.String()
			continue
		}
		return Landing{URL: address, Status: response.StatusCode, Body: string(body)}, nil
	}
	return Landing{}, fmt.Errorf("%s redirects too often", address)
}
