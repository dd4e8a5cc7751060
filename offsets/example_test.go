package offsets_test

import (
	"fmt"

	"github.com/kspout/kspout/offsets"
)

func ExampleSet() {
	var pending offsets.Set
	pending.AddRange(40, 48)
	pending.Remove(44)
	pending.RemoveRange(40, 42)

	low, _ := pending.Min()
	fmt.Println(low, pending.Len())
	for r := range pending.Ranges() {
		fmt.Println("pending", r)
	}
	for r := range pending.Gaps(low, 50) {
		fmt.Println("done", r)
	}
	// Output:
	// 42 5
	// pending [42,44)
	// pending [45,48)
	// done [44,45)
	// done [48,50)
}

func ExampleCheckpoint_Encode() {
	c := offsets.Checkpoint{
		Partition: offsets.Partition{Topic: "orders", Number: 3},
		ID:        "billing", Instance: "billing-7",
		Offset:      42,
		Acked:       []offsets.Range{{From: 44, To: 48}, {From: 50, To: 51}},
		Broker:      offsets.Broker{Host: "10.0.0.1", Port: 9092},
		LeaderEpoch: 3, AckedEpoch: 3,
	}
	data, err := c.Encode()
	fmt.Println(string(data), err)
	// Output:
	// {"topology":{"id":"billing-7","name":"billing"},"offset":42,"partition":3,"broker":{"host":"10.0.0.1","port":9092},"topic":"orders","format":1,"acked":"44-47,50","leaderEpoch":3,"ackedEpoch":3} <nil>
}

func ExampleDecodeCheckpoint() {
	p := offsets.Partition{Topic: "orders", Number: 3}
	c, err := offsets.DecodeCheckpoint([]byte(`{"topology":{"id":"storm-1","name":"count"},"offset":42,"acked":"44-47,50"}`), p)
	fmt.Println(c.Offset, c.Acked, err)

	_, err = offsets.DecodeCheckpoint([]byte(`{"offset":4.2}`), p)
	fmt.Println(err)
	// Output:
	// 42 [[44,48) [50,51)] <nil>
	// offset: want an integer from 0 to 9223372036854775807, not 4.2
}
