package spout_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/kspout/kspout/spout"
	"github.com/kspout/kspout/spouttest"
)

// answerEpochs makes the brokers say of all epochs that they end at what end
// holds, in epoch 0; what they know themselves while that is negative.
func answerEpochs(c *spouttest.Cluster, end *atomic.Int64) (asked *atomic.Int32) {
	asked = new(atomic.Int32)
	c.Kafka().ControlKey(23, func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.Kafka().KeepControl()
		asked.Add(1)
		if end.Load() < 0 {
			return nil, nil, false
		}
		q := req.(*kmsg.OffsetForLeaderEpochRequest)
		resp := q.ResponseKind().(*kmsg.OffsetForLeaderEpochResponse)
		for _, qt := range q.Topics {
			rt := kmsg.NewOffsetForLeaderEpochResponseTopic()
			rt.Topic = qt.Topic
			for _, qp := range qt.Partitions {
				rp := kmsg.NewOffsetForLeaderEpochResponseTopicPartition()
				rp.Partition, rp.LeaderEpoch, rp.EndOffset = qp.Partition, 0, end.Load()
				rt.Partitions = append(rt.Partitions, rp)
			}
			resp.Topics = append(resp.Topics, rt)
		}
		return resp, nil, true
	})
	return asked
}

// await returns the next of ch.
func await[T any](t *testing.T, ch <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-ch:
	case <-time.After(10 * time.Second):
		t.Error("nothing was told in 10s")
	}
	return v
}

// TestEpochOfWhatIsPassed: franz-go#1530. The epoch of aborted records and their
// marker is stored, not that of the last record that was delivered: that one ends
// below the offset, without any cut.
func TestEpochOfWhatIsPassed(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Brokers: 2, Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 10)
	if err := c.MoveLeader("a", 0, 1-c.Leader("a", 0)); err != nil {
		t.Fatal(err)
	}
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Brokers()...), kgo.TransactionalID("t"), kgo.DefaultProduceTopic("a"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	if err := cl.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := cl.ProduceSync(t.Context(), kgo.StringRecord("x"), kgo.StringRecord("y")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if err := cl.EndTransaction(t.Context(), kgo.TryAbort); err != nil {
		t.Fatal(err)
	}
	cfg := config(t, c, "a")
	cfg.StopAtEnd = true
	if err := run(t, cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) { u.Ack() })); err != nil {
		t.Fatal(err)
	}
	if cp := stored(t, c, "a", 0); cp.Offset != 13 || cp.LeaderEpoch != 1 {
		t.Errorf("stored %d of epoch %d, want 13 of 1", cp.Offset, cp.LeaderEpoch)
	}
}

// TestCutWhileRunningAndAtOpen: a new leader says that the log ends at 50 in the
// epoch that was read up to 80 (KIP-320): the spout goes on at 50, and what was
// done from there on is told as truncated. So it is when that happened between
// two runs.
func TestCutWhileRunningAndAtOpen(t *testing.T) {
	c := spouttest.Start(t, spouttest.Config{Brokers: 2, Topics: map[string]int{"a": 1}})
	produce(t, c, "a", 0, 80)
	var end atomic.Int64
	end.Store(-1)
	asked := answerEpochs(c, &end)
	cfg := config(t, c, "a")
	cfg.StopAtEnd = false
	cuts := make(chan spout.Truncation, 8)
	var opened atomic.Int32
	cfg.Events.Opened = func(spout.Opening) { opened.Add(1) }
	cfg.Events.Truncated = func(u spout.Truncation) { cuts <- u }
	cfg.Events.Lost = func(l spout.Loss) { t.Errorf("lost %+v, want nothing", l) }
	consume := func(want int64, meanwhile func(delivered *atomic.Int64)) {
		t.Helper()
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var delivered atomic.Int64
		s, err := spout.New(cfg, spout.HandlerFunc(func(_ context.Context, u *spout.Tuple) {
			u.Ack()
			delivered.Add(1)
		}))
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- s.Run(ctx) }()
		meanwhile(&delivered)
		eventually(t, "all is delivered", func() bool { return delivered.Load() == want })
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	consume(80+40, func(delivered *atomic.Int64) {
		eventually(t, "80 are delivered", func() bool { return delivered.Load() == 80 })
		end.Store(50)
		if err := c.MoveLeader("a", 0, 1-c.Leader("a", 0)); err != nil {
			t.Fatal(err)
		}
		if u := await(t, cuts); u.End != 50 || u.Undone != 30 {
			t.Errorf("truncated %+v, want 30 from 50 on", u)
		}
		end.Store(-1)
		produce(t, c, "a", 0, 10)
	})
	if cp := stored(t, c, "a", 0); cp.Offset != 90 || cp.LeaderEpoch != 1 {
		t.Errorf("stored %d of epoch %d, want 90 of 1", cp.Offset, cp.LeaderEpoch)
	}
	asked.Store(0)
	end.Store(60)
	consume(30, func(*atomic.Int64) {
		if u := await(t, cuts); u.End != 60 || u.Undone != 30 {
			t.Errorf("truncated %+v, want 30 from 60 on", u)
		}
	})
	if cp := stored(t, c, "a", 0); cp.Offset != 90 || asked.Load() != 1 {
		t.Errorf("stored %d after %d questions, want 90 after 1", cp.Offset, asked.Load())
	}
	end.Store(-1)
	consume(20, func(*atomic.Int64) {
		eventually(t, "the partition is open", func() bool { return opened.Load() == 3 })
		end.Store(70)
		if err := c.MoveLeader("a", 0, 1-c.Leader("a", 0)); err != nil {
			t.Fatal(err)
		}
		if u := await(t, cuts); u.End != 70 || u.Undone != 20 {
			t.Errorf("truncated %+v, want 20 from 70 on, of what was read before", u)
		}
		end.Store(-1)
	})
	if len(cuts) > 0 {
		t.Errorf("truncated %+v, want nothing", <-cuts)
	}
}
