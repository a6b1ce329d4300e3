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

// contract describes the whole interface for readers and for generators of
// clients. Tests hold the routes to it, and run its examples.
//
//go:embed openapi.yaml
var contract []byte

// contractTag names this edition of the contract.
var contractTag = fmt.Sprintf(`"%x"`, sha256.Sum256(contract))

// getContract answers everybody: the contract tells nothing about anybody, and
// whoever writes a client may have no key yet. A program that keeps it asks by
// its tag whether there is another edition.
func getContract(c echo.Context) error {
	requestID(c)
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, "application/yaml")
	header.Set("ETag", contractTag)
	http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(contract))
	return nil
}
