package spout_test

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// One record fails at first, and comes again.
func Example() {
	ctx := context.Background()
	cluster, err := spouttest.Open(ctx, spouttest.Config{Topics: map[string]int{"orders": 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	if _, err := cluster.Produce(ctx, "orders", 0, spouttest.Values("tea", "milk", "sugar")...); err != nil {
		fmt.Println(err)
		return
	}

	s, err := spout.New(spout.Config{
		Brokers: cluster.Brokers(), ZooKeeper: cluster.ZooKeeper(),
		ID: "billing", Topics: []string{"orders"},
		StopAtEnd: true,
	}, spout.HandlerFunc(func(ctx context.Context, t *spout.Tuple) {
		fmt.Printf("%d: %s, delivery %d\n", t.Offset(), t.Value(), t.Attempt())
		if t.Offset() == 1 && t.Attempt() == 1 {
			t.Fail(fmt.Errorf("no milk yet"))
			return
		}
		t.Ack()
	}))
	if err == nil {
		err = s.Run(ctx)
	}
	stored, _, _ := cluster.Stored(ctx, "billing", "orders", 0)
	fmt.Println("stored:", stored.Offset, err)

	// Output:
	// 0: tea, delivery 1
	// 1: milk, delivery 1
	// 2: sugar, delivery 1
	// 1: milk, delivery 2
	// stored: 3 <nil>
}

// Workers take tuples of all partitions, and ack what returns nil.
func ExampleWorkers() {
	ctx := context.Background()
	cluster, err := spouttest.Open(ctx, spouttest.Config{Topics: map[string]int{"orders": 4}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer cluster.Close()
	for p := range int32(4) {
		if _, err := cluster.Produce(ctx, "orders", p, spouttest.Values("a", "b", "c")...); err != nil {
			fmt.Println(err)
			return
		}
	}
	var n atomic.Int64
	s, err := spout.New(spout.Config{
		Brokers: cluster.Brokers(), ZooKeeper: cluster.ZooKeeper(),
		ID: "billing", Topics: []string{"orders"},
		StopAtEnd: true,
	}, spout.Workers(8, spout.Unordered, func(ctx context.Context, t *spout.Tuple) error {
		n.Add(1)
		return nil
	}))
	if err == nil {
		err = s.Run(ctx)
	}
	fmt.Println(n.Load(), err)

	// Output:
	// 12 <nil>
}
