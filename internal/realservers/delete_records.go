package realservers

import "github.com/segmentio/kafka-go/protocol"

// DeleteRecords, versions 0 and 1, which kafka-go has no types for.
// Source: https://kafka.apache.org/protocol#The_Messages_DeleteRecords.

func init() { protocol.Register(&deleteRecordsRequest{}, &deleteRecordsResponse{}) }

type deleteRecordsRequest struct {
	Topics    []deleteRecordsTopic `kafka:"min=v0,max=v1"`
	TimeoutMs int32                `kafka:"min=v0,max=v1"`
}

type deleteRecordsTopic struct {
	Name       string                   `kafka:"min=v0,max=v1"`
	Partitions []deleteRecordsPartition `kafka:"min=v0,max=v1"`
}

type deleteRecordsPartition struct {
	Index  int32 `kafka:"min=v0,max=v1"`
	Offset int64 `kafka:"min=v0,max=v1"`
}

type deleteRecordsResponse struct {
	ThrottleTimeMs int32                   `kafka:"min=v0,max=v1"`
	Topics         []deleteRecordsOutcomes `kafka:"min=v0,max=v1"`
}

type deleteRecordsOutcomes struct {
	Name       string                 `kafka:"min=v0,max=v1"`
	Partitions []deleteRecordsOutcome `kafka:"min=v0,max=v1"`
}

type deleteRecordsOutcome struct {
	Index        int32 `kafka:"min=v0,max=v1"`
	LowWatermark int64 `kafka:"min=v0,max=v1"`
	ErrorCode    int16 `kafka:"min=v0,max=v1"`
}

func (*deleteRecordsRequest) ApiKey() protocol.ApiKey  { return protocol.DeleteRecords }
func (*deleteRecordsResponse) ApiKey() protocol.ApiKey { return protocol.DeleteRecords }
