package person

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

const (
	maxPages = 12
	maxPage  = 1 << 20
)

var (
	formAction = regexp.MustCompile(`(?s)<form[^>]*\saction="([^"]+)"`)
	fieldTag   = regexp.MustCompile(`(?s)<input[^>]*>`)
	fieldName  = regexp.MustCompile(`\sname="([^"]*)"`)
	fieldValue = regexp.MustCompile(`\svalue="([^"]*)"`)
)

// Browse opens an authorization URL, fills in whatever forms come, and follows the redirects to their end. It returns the last address
// and page; an address that no browser loads itself, such as one of a custom scheme, is where it stops. A page of status 400 or more that
// is not the program's own is an error, since no callback follows it.
func Browse(ctx context.Context, address string) (last, page string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", "", err
	}
	client := &http.Client{Jar: jar, Timeout: 15 * time.Second}
	client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
		if len(via) >= maxPages || r.URL.Scheme != "http" {
			return http.ErrUseLastResponse
		}
		return nil
	}
	defer client.CloseIdleConnections()
	var form url.Values
	for range maxPages {
		response, body, err := load(ctx, client, address, form)
		if err != nil {
			return address, "", err
		}
		address = response.Request.URL.String()
		if next := response.Header.Get("Location"); next != "" && response.StatusCode/100 == 3 {
			return next, "", nil
		}
		if response.StatusCode >= http.StatusBadRequest {
			return address, body, fmt.Errorf("the browser shows status %d of %s: %.300s", response.StatusCode, response.Request.URL.Path, body)
		}
		action, filled := fill(body)
		if action == "" {
			return address, body, nil
		}
		to, err := response.Request.URL.Parse(action)
		if err != nil {
			return address, body, fmt.Errorf("the form leads nowhere: %w", err)
		}
		address, form = to.String(), filled
	}
	return address, "", errors.New("there is always another page")
}

func load(ctx context.Context, client *http.Client, address string, form url.Values) (*http.Response, string, error) {
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, "", err
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer response.Body.Close()
	page, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	return response, string(page), err
}

// fill fills in the first form of a page: what is there stays, and what is empty becomes a name that any test server lets in.
func fill(page string) (action string, values url.Values) {
	found := formAction.FindStringSubmatch(page)
	if found == nil {
		return "", nil
	}
	values = url.Values{}
	for _, tag := range fieldTag.FindAllString(page, -1) {
		name := fieldName.FindStringSubmatch(tag)
		if name == nil || name[1] == "" {
			continue
		}
		value := "alice"
		if given := fieldValue.FindStringSubmatch(tag); given != nil {
			value = given[1]
		}
		values.Set(name[1], value)
	}
	return found[1], values
}
