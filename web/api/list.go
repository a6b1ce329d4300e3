package api

import (
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"
)

// list is one page of objects. NextCursor is null on the last.
type list struct {
	Items      []json.RawMessage `json:"items"`
	NextCursor *string           `json:"next_cursor"`
}

func writeList(c echo.Context, objects [][]byte, next string) error {
	l := list{Items: make([]json.RawMessage, len(objects))}
	for i, object := range objects {
		l.Items[i] = object
	}
	if next != "" {
		l.NextCursor = &next
	}
	return writeJSON(c, http.StatusOK, l)
}

// writeObject answers with an object in native form, byte for byte.
func writeObject(c echo.Context, status int, object []byte) error {
	return c.Blob(status, echo.MIMEApplicationJSON, object)
}

// writePosted answers a post with the object at location: 201 if it was
// created, 200 if the same had been posted before.
func writePosted(c echo.Context, created bool, location string, object []byte) error {
	c.Response().Header().Set(echo.HeaderLocation, prefix+location)
	if !created {
		return writeObject(c, http.StatusOK, object)
	}
	return writeObject(c, http.StatusCreated, object)
}
