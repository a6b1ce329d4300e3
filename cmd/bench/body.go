package main

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
)

// confirmBody is the confirm that is posted, and the body of the no-op POST: an
// agent's request to run one tool, whose arguments are 1.5 KiB that nothing can
// compress.
var confirmBody = func() []byte {
	blob := make([]byte, 1152)
	_, _ = rand.Read(blob) // never fails
	return fmt.Appendf(nil, `{"target_type":"other","timeout":86400,"reason":"The nightly build passed, so the release may go out to the first tenth of the fleet.",`+
		`"trace":{"trace_id":"6f1c2a34-58b7-4c1e-9d0a-2f3b4c5d6e7f","span_id":"1b2c3d4e-5f60-4a71-8b92-a3b4c5d6e7f8"},`+
		`"actions":[{"name":"deploy_release","args":{"service":"checkout","percent":10,"manifest":"%s"},"tool_use_id":"toolu_0001"}]}`,
		base64.StdEncoding.EncodeToString(blob))
}()
