package lru

import (
	"strconv"
	"sync"
	"testing"
)

func TestCache_EvictsTheLeastRecentlyUsed(t *testing.T) {
	t.Parallel()
	c := New[string, int](10)
	c.Put("a", 1, 4)
	c.Put("b", 2, 4)
	c.Get("a")
	c.Put("c", 3, 4)
	if _, ok := c.Get("b"); ok {
		t.Error("b was used least recently and is still cached")
	}
	for key, want := range map[string]int{"a": 1, "c": 3} {
		if got, ok := c.Get(key); !ok || got != want {
			t.Errorf("%s is %d %v, want %d", key, got, ok, want)
		}
	}
	c.Put("a", 5, 2)
	if got, _ := c.Get("a"); got != 5 {
		t.Errorf("a is %d, want the new value 5", got)
	}
	c.Put("c", 6, 11)
	if _, ok := c.Get("c"); ok {
		t.Error("a value that costs more than all may is cached")
	}
	c.Delete("a")
	if _, ok := c.Get("a"); ok || c.cost != 0 || c.order.Len() != 0 {
		t.Errorf("after all is removed: found %v, cost %d, %d items", ok, c.cost, c.order.Len())
	}
}

func TestCache_ConcurrentUseStaysInBounds(t *testing.T) {
	t.Parallel()
	c := New[string, int](100)
	var wg sync.WaitGroup
	for n := range 8 {
		wg.Go(func() {
			for i := range 1000 {
				c.Put(strconv.Itoa(i*n%150), i, 1+i%7)
				c.Get(strconv.Itoa(i % 150))
			}
		})
	}
	wg.Wait()
	sum := 0
	for _, at := range c.items {
		sum += at.Value.(*item[string, int]).cost
	}
	if sum != c.cost || sum > 100 || len(c.items) != c.order.Len() {
		t.Errorf("%d items cost %d, counted %d, at most 100", len(c.items), sum, c.cost)
	}
}
