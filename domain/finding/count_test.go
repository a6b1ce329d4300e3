package finding

import "testing"

func TestCompareCounts_FindsAnother(t *testing.T) {
	t.Parallel()
	checkKind(t, "count", Look, []contradiction{
		{"Rebuild the 8 shards", `{"shards":[0,1,2,3,4,5]}`, "/shards"},
		{"Rebuild the eight shards", `{"shards":["a"]}`, "/shards"},
		{"Restart 3 workers", `{"workers":["w1","w2","w3","w4"]}`, "/workers"},
		{"Start 6 nodes", `{"node_count":9}`, "/node_count"},
		{"Keep 7 replicas", `{"replicas":2}`, "/replicas"},
		{"Discharge 3 patients", `{"patients":["P1","P2","P3","P4","P5"]}`, "/patients"},
		{"Lade zwei Container", `{"container":[1,2,3]}`, "/container"},
		{"Inviter 4 clients", `{"clients":["a","b","c"]}`, "/clients"},
		{"Mover 5 cajas", `{"cajas":9}`, "/cajas"},
		{"Delete 12 users", `{"users":{"items":[]},"num_users":17}`, "/num_users"},
		{"Scale it down from 6 to 2 replicas until 07:00", `{"replicas":0}`, "/replicas"},
	}, [][2]string{
		{"Rebuild the 8 shards", `{"shards":[0,1,2,3,4,5,6,7]}`},
		{"Rebuild 2 of the 8 shards", `{"shards":[0,1]}`},
		{"Up to 8 shards", `{"shards":[0,1]}`},
		{"8 shards, then 4 shards", `{"shards":[0,1]}`},
		{"the first 3 workers", `{"workers":["a","b"]}`},
		{"Within 3 days", `{"days":["mon","tue"]}`},
		{"4 burgers and 3 cokes", `{"items":["burger","coke"]}`},
		{"Restart 3 workers in two groups", `{"groups":[{"workers":["a","b"]},{"workers":["c"]}]}`},
		{"mindestens 8 Knoten", `{"knoten":9}`},
		{"au plus 5 clients", `{"clients":["a"]}`},
		{"más de 5 cajas", `{"cajas":9}`},
		{"Scale to 5% nodes", `{"nodes":9}`},
		{"Version 3 workers", `{"workers":["a"]}`},
		{"On 12 May users return", `{"users":["a"]}`},
		{"8 shards", `{"shard_size_mb":512}`},
		{"2 pallets of 48 boxes each", `{"boxes":96}`},
		{"Paint 12 floors", `{"floor":3}`},
		{"مع 3 workers", `{"workers":[1,2,3]}`},
	})
}
