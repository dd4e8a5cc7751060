package spouttest_test

import (
	"context"
	"fmt"

	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// A handler is tested by giving it records, and looking at what is stored. In a
// test, Start takes the place of Open, and t.Context() that of ctx.
func Example() {
	ctx := context.Background()
	c, err := spouttest.Open(ctx, spouttest.Config{Topics: map[string]int{"orders": 1}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	if _, err := c.Produce(ctx, "orders", 0, spouttest.Values("apples", "pears")...); err != nil {
		fmt.Println(err)
		return
	}

	s, err := spout.New(spout.Config{
		Brokers: c.Brokers(), ZooKeeper: c.ZooKeeper(), ID: "billing", Topics: []string{"orders"}, StopAtEnd: true,
	}, spout.HandlerFunc(func(_ context.Context, t *spout.Tuple) {
		fmt.Printf("%s\n", t.Value())
		t.Ack()
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.Run(ctx); err != nil {
		fmt.Println(err)
		return
	}

	stored, _, err := c.Stored(ctx, "billing", "orders", 0)
	fmt.Println("next:", stored.Offset, err)
	// Output:
	// apples
	// pears
	// next: 2 <nil>
}
