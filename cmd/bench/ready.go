package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"time"
)

// ready measures how long a server takes until it answers, and what it holds
// when nothing happens: on the large database and on a fresh one.
func ready(ctx context.Context, r *round) error {
	fresh, err := r.fresh()
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh)
	large, err := r.filled(ctx, r.size.confirms)
	if err != nil {
		return err
	}
	if err := r.readyOn(ctx, fresh, "fresh"); err != nil {
		return err
	}
	return r.readyOn(ctx, large, "large")
}

func (r *round) readyOn(ctx context.Context, dir, name string) error {
	address, err := freeAddress()
	if err != nil {
		return err
	}
	began := time.Now()
	p, err := start(ctx, dir, r.binary, serveWords(dir, address)...)
	if err != nil {
		return err
	}
	defer p.kill()
	for !answers(address) {
		if time.Since(began) > patience {
			return p.failed(errors.New("it does not become ready"))
		}
		time.Sleep(time.Millisecond)
	}
	r.duration("start to ready, "+name, time.Since(began))
	if err := settle(p.pid()); err != nil {
		return err
	}
	m, err := memoryOf(p.pid())
	if err != nil {
		return err
	}
	r.set("idle memory, "+name, "MiB", m.rss/(1<<20))
	r.set("idle memory without files, "+name, "MiB", m.anonymous/(1<<20))
	return p.stop()
}

// freeAddress is one that nobody listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// answers says whether a server is ready.
func answers(address string) bool {
	answer, err := http.Get("http://" + address + "/readyz")
	if err != nil {
		return false
	}
	_ = answer.Body.Close() // the status was all
	return answer.StatusCode == http.StatusOK
}
