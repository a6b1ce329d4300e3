package api

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// openAPI describes the whole interface for readers and for generators of
// clients. Tests hold the routes to it, and run its examples.
//
//go:embed openapi.yaml
var openAPI []byte

// openAPIETag names this edition of the contract.
var openAPIETag = fmt.Sprintf(`"%x"`, sha256.Sum256(openAPI))

// getOpenAPI answers everybody: the contract tells nothing about anybody, and
// whoever writes a client may have no key yet. A program that keeps it asks by
// its tag whether there is another edition.
func getOpenAPI(c echo.Context) error {
	requestID(c)
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/yaml")
	header.Set("ETag", openAPIETag)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(openAPI))
	return nil
}
