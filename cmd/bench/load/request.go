package load

import (
	"fmt"
	"strings"
)

// Bearer is the header that a key is sent in.
func Bearer(key string) string { return "Authorization: Bearer " + key }

// Get builds a request. Headers are lines without their ends.
func Get(address, path string, headers ...string) []byte {
	return request("GET", address, path, nil, headers)
}

// Post builds a request with a JSON body.
func Post(address, path string, body []byte, headers ...string) []byte {
	return request("POST", address, path, body, append(headers, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", len(body))))
}

func request(method, address, path string, body []byte, headers []string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, address)
	for _, h := range headers {
		b.WriteString(h + "\r\n")
	}
	b.WriteString("\r\n")
	b.Write(body)
	return []byte(b.String())
}

// Outcome is the address at which the outcome of a confirm is asked for.
func Outcome(id string) string { return "/api/v1/confirms/" + id + "/outcome" }
