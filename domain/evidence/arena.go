package evidence

import "slices"

// arena is a list of millions of items that grows without copying.
type arena[T any] struct {
	chunks [][]T
	size   int
}

const arenaChunk = 1 << 13

func (p *arena[T]) add(v T) {
	if p.size%arenaChunk == 0 {
		p.chunks = append(p.chunks, make([]T, 0, arenaChunk))
	}
	last := &p.chunks[len(p.chunks)-1]
	*last = append(*last, v)
	p.size++
}

func (p *arena[T]) at(i int) *T { return &p.chunks[uint(i)/arenaChunk][uint(i)%arenaChunk] }

// textArena stores short texts one after the other, without a pointer to each that the
// garbage collector would follow.
type textArena []byte

// textSpan is the place of one text.
type textSpan struct{ start, end int }

func (t *textArena) add(s string) textSpan {
	if len(*t)+len(s) > cap(*t) {
		*t = slices.Grow(*t, max(len(*t), len(s))) // doubles instead of growing by a quarter
	}
	*t = append(*t, s...)
	return textSpan{len(*t) - len(s), len(*t)}
}

func (t textArena) of(at textSpan) []byte { return t[at.start:at.end] }
