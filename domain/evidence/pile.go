package evidence

import "slices"

// pile is a list of millions, which grows without being copied: a slice that is
// appended to has been in as many places as would hold it five times.
type pile[T any] struct {
	chunks [][]T
	size   int
}

const pileChunk = 1 << 13

func (p *pile[T]) add(v T) {
	if p.size%pileChunk == 0 {
		p.chunks = append(p.chunks, make([]T, 0, pileChunk))
	}
	last := &p.chunks[len(p.chunks)-1]
	*last = append(*last, v)
	p.size++
}

func (p *pile[T]) at(i int) *T { return &p.chunks[uint(i)/pileChunk][uint(i)%pileChunk] }

// texts are short texts, one behind the other, without a pointer to each for the
// garbage collector to follow.
type texts []byte

// text is where one of them lies.
type text struct{ start, end int }

func (t *texts) add(s string) text {
	if len(*t)+len(s) > cap(*t) {
		*t = slices.Grow(*t, max(len(*t), len(s))) // twice as much, not a quarter more
	}
	*t = append(*t, s...)
	return text{len(*t) - len(s), len(*t)}
}

func (t texts) of(at text) []byte { return t[at.start:at.end] }
