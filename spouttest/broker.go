package spouttest

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
)

// StopBroker makes a broker unreachable, counted from 0 in the order of
// [Cluster.Brokers]: its connections are cut, and new ones are refused. The
// others that are up lead its partitions from here on; without any, its
// partitions stay with it. Stopping it again does nothing.
func (c *Cluster) StopBroker(ctx context.Context, broker int) error {
	if err := c.checkBroker(broker); err != nil {
		return err
	}
	c.mu.Lock()
	c.down[broker] = true
	var up []int
	for i := range c.gates {
		if !c.down[i] {
			up = append(up, i)
		}
	}
	c.mu.Unlock()
	c.gates[broker].shut()
	if len(up) == 0 {
		return nil
	}
	topics, err := c.topics(ctx)
	if err != nil {
		return wrap(err, "stop broker %d: list topics", broker)
	}
	return c.admin(func(k *kfake.Cluster) error {
		for _, topic := range topics {
			for _, p := range k.PartitionInfos(topic) {
				if int(p.Leader) != broker {
					continue
				}
				to := up[int(p.Partition)%len(up)]
				if err := k.MoveTopicPartition(topic, p.Partition, int32(to)); err != nil {
					return wrap(err, "move %s/%d", topic, p.Partition)
				}
			}
		}
		return nil
	})
}

// StartBroker makes a stopped broker reachable again, at its address. It leads
// nothing that was moved away from it. Starting it again does nothing.
func (c *Cluster) StartBroker(broker int) error {
	if err := c.checkBroker(broker); err != nil {
		return err
	}
	if err := c.admin(func(*kfake.Cluster) error { return nil }); err != nil {
		return err
	}
	if err := c.gates[broker].open(); err != nil {
		return wrap(err, "start broker %d", broker)
	}
	c.mu.Lock()
	delete(c.down, broker)
	c.mu.Unlock()
	return nil
}

// CutBroker cuts the connections of a broker. New ones can be made at once.
func (c *Cluster) CutBroker(broker int) error {
	if err := c.checkBroker(broker); err != nil {
		return err
	}
	c.gates[broker].cut()
	return nil
}

// Leader returns the broker that leads a partition, or -1 if there is no such
// partition.
func (c *Cluster) Leader(topic string, partition int32) int {
	leader := -1
	c.admin(func(k *kfake.Cluster) error {
		leader = int(k.LeaderFor(topic, partition))
		return nil
	})
	return leader
}

// MoveLeader makes a broker the leader of a partition, in a new leader epoch.
func (c *Cluster) MoveLeader(topic string, partition int32, broker int) error {
	if err := c.checkBroker(broker); err != nil {
		return err
	}
	err := c.admin(func(k *kfake.Cluster) error {
		if k.PartitionInfo(topic, partition) == nil {
			return kerr.UnknownTopicOrPartition
		}
		return k.MoveTopicPartition(topic, partition, int32(broker))
	})
	return wrap(err, "move the leader of %s/%d", topic, partition)
}

func (c *Cluster) checkBroker(broker int) error {
	if broker < 0 || broker >= len(c.gates) {
		return fmt.Errorf("spouttest: there is no broker %d; they are 0 to %d", broker, len(c.gates)-1)
	}
	return nil
}
