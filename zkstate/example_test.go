package zkstate_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kspout/kspout/internal/zkserver"
	"github.com/kspout/kspout/offsets"
	"github.com/kspout/kspout/zkstate"
)

// connect returns a client of a ZooKeeper in this process, and what ends both.
func connect() (*zkstate.Client, func()) {
	srv, err := zkserver.Start(zkserver.Config{})
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	client, err := zkstate.Connect(ctx, zkstate.Config{Servers: []string{srv.Addr()}})
	if err != nil {
		panic(err)
	}
	return client, func() { client.Close(); srv.Close() }
}

func ExampleClient_Do() {
	client, done := connect()
	defer done()

	resps := client.Do(context.Background(),
		zkstate.Create{Path: "/colour", Data: []byte("red")},
		zkstate.Set{Path: "/colour", Data: []byte("blue"), Version: 0},
		zkstate.Set{Path: "/colour", Data: []byte("green"), Version: 0},
		zkstate.Get{Path: "/colour"},
	)
	fmt.Println(resps[2].Err(), errors.Is(resps[2].Err(), zkstate.ErrBadVersion))
	fmt.Printf("%s\n", resps[3].(*zkstate.GetResponse).Data)

	// Output:
	// zkstate: set /colour: another version is stored true
	// blue
}

func ExampleStore() {
	client, done := connect()
	defer done()
	store, err := zkstate.NewStore(client, zkstate.StoreConfig{Root: "/spout", ID: "billing"})
	if err != nil {
		fmt.Println(err)
		return
	}

	p := offsets.Partition{Topic: "orders", Number: 3}
	c := offsets.Checkpoint{
		Partition: p, ID: "billing", Instance: "blue", Offset: 42,
		Broker: offsets.Broker{Host: "10.0.0.1", Port: 9092}, LeaderEpoch: -1, AckedEpoch: -1,
	}
	ctx := context.Background()
	fmt.Println(store.Save(ctx, []offsets.Write{{Checkpoint: c, Version: offsets.NoVersion}})[0])
	c.Instance = "green" // another one, which hasn't seen the first write
	fmt.Println(store.Save(ctx, []offsets.Write{{Checkpoint: c, Version: offsets.NoVersion}})[0])

	got, err := store.Load(ctx, []offsets.Partition{p})
	fmt.Println(got[0].Path, got[0].Version, got[0].Checkpoint.Offset, err)

	// Output:
	// <nil>
	// offsets: /spout/billing/orders/partition_3 was written by another: instance "blue" of "billing", at offset 42; version 0 is stored, none was expected
	// /spout/billing/orders/partition_3 0 42 <nil>
}
