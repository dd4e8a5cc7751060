package zkserver

import "strconv"

// An Op is the number of an operation in ZooKeeper's protocol.
type Op int32

// The operations that the server knows.
const (
	OpCreate       Op = 1
	OpDelete       Op = 2
	OpExists       Op = 3
	OpGetData      Op = 4
	OpSetData      Op = 5
	OpGetACL       Op = 6
	OpSetACL       Op = 7
	OpGetChildren  Op = 8
	OpSync         Op = 9
	OpPing         Op = 11
	OpGetChildren2 Op = 12
	OpCheck        Op = 13
	OpMulti        Op = 14
	OpCreate2      Op = 15
	OpAuth         Op = 100
	OpSetWatches   Op = 101
	OpCloseSession Op = -11

	// opError marks the result of a failed operation of a multi.
	opError Op = -1
)

var opNames = map[Op]string{
	OpCreate: "create", OpDelete: "delete", OpExists: "exists", OpGetData: "getData",
	OpSetData: "setData", OpGetACL: "getACL", OpSetACL: "setACL", OpGetChildren: "getChildren",
	OpSync: "sync", OpPing: "ping", OpGetChildren2: "getChildren2", OpCheck: "check",
	OpMulti: "multi", OpCreate2: "create2", OpAuth: "auth", OpSetWatches: "setWatches",
	OpCloseSession: "closeSession",
}

// String names the operation.
func (op Op) String() string {
	if name, ok := opNames[op]; ok {
		return name
	}
	return "op " + strconv.Itoa(int(op))
}
