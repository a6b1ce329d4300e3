package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"

	"countersign/cmd/bench/load"
)

// requestBody is what agents post, and the body of the no-op POST: to run one
// tool, whose arguments are 1.5 KiB that nothing can compress.
var requestBody = func() []byte {
	blob := make([]byte, 1152)
	_, _ = rand.Read(blob) // never fails
	return fmt.Appendf(nil, `{"target_type":"other","timeout":86400,"reason":"The nightly build passed, so the release may go out to the first tenth of the fleet.",`+
		`"trace":{"trace_id":"6f1c2a34-58b7-4c1e-9d0a-2f3b4c5d6e7f","span_id":"1b2c3d4e-5f60-4a71-8b92-a3b4c5d6e7f8"},`+
		`"actions":[{"name":"deploy_release","args":{"service":"checkout","percent":10,"manifest":"%s"},"tool_use_id":"toolu_0001"}]}`,
		base64.StdEncoding.EncodeToString(blob))
}()

func measureCreate(ctx context.Context, r *round) {
	for _, n := range []int{1, 16, 128} {
		r.onFresh(ctx, func(s *server) []load.Confirm {
			return r.runClients(ctx, "requests created", n, s.create()).Confirms
		})
	}
}
