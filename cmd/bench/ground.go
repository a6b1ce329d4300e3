package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"syscall"

	"github.com/labstack/echo/v4"

	"countersign/cmd/bench/load"
)

func measureGround(ctx context.Context, r *round) {
	f := must(os.Create(filepath.Join(r.work, "synced")))
	defer f.Close()
	page := make([]byte, 4096) // as large as one of the database
	write := func(context.Context, *load.Result) error {
		if _, err := f.Write(page); err != nil {
			return err
		}
		return syscall.Fdatasync(int(f.Fd()))
	}
	r.runClients(ctx, "fdatasync of 4 KiB", 1, func(int) load.Step { return write })
	r.rowsAlone(ctx)

	s := r.start(ctx, r.work, r.self, "noop")
	defer s.kill()
	for _, n := range []int{1, 16, 128} {
		r.runClients(ctx, "no-op POST", n, load.Send(s.address, http.StatusCreated, load.Post("/noop", requestBody)))
	}
	r.runClients(ctx, "no-op page", 16, load.Send(s.address, http.StatusOK, load.Get("/hello")))
}

// serveNoop serves a POST whose body is thrown away, and a page that says hello.
func serveNoop() error {
	e := echo.New()
	e.POST("/noop", func(c echo.Context) error {
		n, err := io.Copy(io.Discard, c.Request().Body)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusCreated, map[string]int64{"received": n})
	})
	e.GET("/hello", func(c echo.Context) error {
		return c.HTML(http.StatusOK, "<!doctype html><title>hello</title><p>hello")
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listening + listener.Addr().String())
	return http.Serve(listener, e)
}
