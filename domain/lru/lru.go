// Package lru is a cache that evicts what was used least recently.
package lru

import (
	"container/list"
	"sync"
)

// Cache holds values of at most max cost together. It is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu        sync.Mutex
	max, cost int
	items     map[K]*list.Element
	order     list.List // of *item[K, V], the most recently used first
}

type item[K comparable, V any] struct {
	key   K
	value V
	cost  int
}

// New returns an empty cache. The unit of max is the caller's: bytes, or items.
func New[K comparable, V any](max int) *Cache[K, V] {
	return &Cache[K, V]{max: max, items: map[K]*list.Element{}}
}

// Get returns the value of a key and reports whether it is cached.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.items[key]
	if !ok {
		return value, false
	}
	c.order.MoveToFront(at)
	return at.Value.(*item[K, V]).value, true
}

// Put caches a value in place of the key's former one, and evicts others until all
// costs fit. A value that costs more than all may is not cached.
func (c *Cache[K, V]) Put(key K, value V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.items[key])
	if cost > c.max {
		return
	}
	c.items[key] = c.order.PushFront(&item[K, V]{key, value, cost})
	for c.cost += cost; c.cost > c.max; {
		c.remove(c.order.Back())
	}
}

// Delete removes a key.
func (c *Cache[K, V]) Delete(key K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.remove(c.items[key])
}

func (c *Cache[K, V]) remove(at *list.Element) {
	if at == nil {
		return
	}
	old := c.order.Remove(at).(*item[K, V])
	delete(c.items, old.key)
	c.cost -= old.cost
}
