package main

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
)

var formToken = regexp.MustCompile(`name="csrf" value="([^"]+)"`)

// signIn signs the reader in, as a browser does, and gives the header with the
// cookies of the session.
func (p *product) signIn(ctx context.Context) (header string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	base := &url.URL{Scheme: "http", Host: p.address}
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(method string, form url.Values) (status int, text string, err error) {
		r, err := http.NewRequestWithContext(ctx, method, base.JoinPath("login").String(), strings.NewReader(form.Encode()))
		if err != nil {
			return 0, "", err
		}
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		answer, err := client.Do(r)
		if err != nil {
			return 0, "", err
		}
		body, err := io.ReadAll(answer.Body)
		return answer.StatusCode, string(body), errors.Join(err, answer.Body.Close())
	}
	_, text, err := ask(http.MethodGet, nil)
	if err != nil {
		return "", err
	}
	token := formToken.FindStringSubmatch(text)
	if token == nil {
		return "", errors.New("the page to sign in has no form token")
	}
	status, _, err := ask(http.MethodPost, url.Values{"csrf": {token[1]}, "username": {reader}, "password": {p.Password}})
	if err != nil || status != http.StatusSeeOther {
		return "", errors.Join(err, fmt.Errorf("signing in: status %d", status))
	}
	var cookies []string
	for _, c := range jar.Cookies(base) {
		cookies = append(cookies, c.Name+"="+c.Value)
	}
	return "Cookie: " + strings.Join(cookies, "; "), nil
}
