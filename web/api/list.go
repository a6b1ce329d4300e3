package api

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
)

// projection turns a native object into its canonical form.
type projection func(native []byte) ([]byte, error)

// inForm returns an object in the form that the request asks for. Without a
// projection it has only one.
func inForm(c echo.Context, canonical projection, object []byte) ([]byte, error) {
	if canonical == nil || c.QueryParam("form") != formCanonical {
		return object, nil
	}
	return canonical(object)
}

func writeList(c echo.Context, canonical projection, objects [][]byte, next string) error {
	size := len(next) + 64
	for i, object := range objects {
		item, err := inForm(c, canonical, object)
		if err != nil {
			return err
		}
		objects[i] = item
		size += len(item) + 1
	}
	text := append(make([]byte, 0, size), `{"items":[`...)
	for i, item := range objects {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, item...) // compact JSON, as it is kept
	}
	text = append(text, `],"next_cursor":`...)
	if next == "" {
		text = append(text, "null}\n"...)
	} else {
		text = append(strconv.AppendQuote(text, next), "}\n"...)
	}
	return writeBytes(c, http.StatusOK, echo.MIMEApplicationJSON, text)
}

// writeObject answers with an object: the native form byte for byte.
func writeObject(c echo.Context, status int, canonical projection, object []byte) error {
	object, err := inForm(c, canonical, object)
	if err != nil {
		return err
	}
	return writeBytes(c, status, echo.MIMEApplicationJSON, object)
}

// writePosted answers a post with the object at location: 201 if it was
// created, 200 if the same had been posted before.
func writePosted(c echo.Context, created bool, location string, canonical projection, object []byte) error {
	c.Response().Header().Set(echo.HeaderLocation, prefix+location)
	if !created {
		return writeObject(c, http.StatusOK, canonical, object)
	}
	return writeObject(c, http.StatusCreated, canonical, object)
}
