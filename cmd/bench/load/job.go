package load

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// Kind is what a job does.
type Kind string

// The kinds of jobs.
const (
	Repeat Kind = "repeat" // sends the same requests over and over
	Trip   Kind = "trip"   // creates, waits, decides, is awake
	Burst  Kind = "burst"  // decides many at the same moment
	Hold   Kind = "hold"   // waits until standard input ends
)

// Job is what a load process is told.
type Job struct {
	Kind    Kind
	Address string // host and port
	Clients int
	// Warm passes before what is done counts, then Window.
	Warm, Window time.Duration

	// Requests of Repeat are sent in turn, each client beginning with another
	// one; those of Hold each have a connection of their own.
	Requests [][]byte
	Want     int // the status that answers to Requests must have
	// Total ends Repeat after so many answers, which all count. 0: by time.
	Total int
	// Reader is the key with which Repeat reads back every confirm that an answer
	// names. Empty: the answers name none.
	Reader string

	// Body is the confirm that Trip and Burst post.
	Body []byte
	// Agents and Deciders are the keys of those who ask and who decide, of which
	// each client has one.
	Agents, Deciders []string
	// Desk is where Deciders decide, host and port. Empty: at Address.
	Desk string
	// Pace is how many decisions a second all clients of a Trip make together. 0:
	// as many as they can.
	Pace float64
	// Times is how often Burst does it.
	Times int
}

// Result is what a load process tells. A job that saw anything but what it had
// to see has no result.
type Result struct {
	Latency Distribution  // of one request, or of one whole trip
	Decide  Distribution  // from sending a decision to its answer
	Awake   Distribution  // from that answer to the waiting agent's
	Woken   Distribution  // from sending the decision to the waiting agent's answer
	Took    time.Duration // the window as it was
	Done    int           // all that was done, outside of the window too
	Read    int           // confirms read back
	IDs     []string      // of confirms created by a Repeat with Total
	Bytes   int           // of the last answer's body
	ETag    string        // of the last answer, as it was sent
}

// Rate is how many were done in a second of the window.
func (r *Result) Rate() float64 { return float64(r.Latency.N) / r.Took.Seconds() }

// Ready is written, as a line, once a Hold has sent all its requests.
const Ready = "ready"

// Run does the job that stands on in, and writes its result to out.
func Run(ctx context.Context, in io.Reader, out io.Writer) error {
	var j Job
	words := json.NewDecoder(in)
	if err := words.Decode(&j); err != nil {
		return fmt.Errorf("job: %w", err)
	}
	result, err := j.run(ctx, func() error {
		if _, err := fmt.Fprintln(out, Ready); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, in)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", j.Kind, err)
	}
	return json.NewEncoder(out).Encode(result)
}

func (j *Job) run(ctx context.Context, hold func() error) (*Result, error) {
	switch j.Kind {
	case Repeat:
		return j.repeat(ctx)
	case Trip:
		return j.trip(ctx)
	case Burst:
		return j.burst(ctx)
	case Hold:
		return j.hold(ctx, hold)
	}
	return nil, fmt.Errorf("there is no such job")
}

func (j *Job) desk() string { return cmp.Or(j.Desk, j.Address) }

// until is when connections of the job give up.
func (j *Job) until() time.Time { return time.Now().Add(j.Warm + j.Window + patience) }
