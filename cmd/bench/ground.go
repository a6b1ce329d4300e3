package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/labstack/echo/v4"
)

// noop is what the no-op POST answers.
type noop struct {
	Received int64 `json:"received"`
}

// ground serves what can be had at best: a POST whose body is read and thrown
// away, and a page that says hello.
func ground(ctx context.Context, stdout io.Writer) error {
	e := echo.New()
	e.POST("/noop", func(c echo.Context) error {
		n, err := io.Copy(io.Discard, c.Request().Body)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusCreated, noop{n})
	})
	e.GET("/hello", func(c echo.Context) error {
		return c.HTML(http.StatusOK, "<!doctype html><title>hello</title><p>hello")
	})
	return serveHTTP(ctx, stdout, e)
}

// serveHTTP answers on loopback until ctx ends, and prints where.
func serveHTTP(ctx context.Context, stdout io.Writer, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s%s\n", listening, listener.Addr())
	server := &http.Server{Handler: handler}
	go func() {
		<-ctx.Done()
		_ = server.Close() // Serve tells
	}()
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
