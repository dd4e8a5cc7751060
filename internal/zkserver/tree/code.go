package tree

import "strconv"

// A Code is ZooKeeper's verdict on an operation: 0, or one of the negative
// numbers of org.apache.zookeeper.KeeperException.Code.
type Code int32

// The codes that this server answers with.
const (
	OK                      Code = 0
	RuntimeInconsistency    Code = -2 // an operation of a multi after the one that failed
	MarshallingError        Code = -5
	Unimplemented           Code = -6
	BadArguments            Code = -8
	NoNode                  Code = -101
	NoAuth                  Code = -102
	BadVersion              Code = -103
	NoChildrenForEphemerals Code = -108
	NodeExists              Code = -110
	NotEmpty                Code = -111
	SessionExpired          Code = -112
	InvalidACL              Code = -114
	AuthFailed              Code = -115
)

var codeNames = map[Code]string{
	OK: "ok", RuntimeInconsistency: "runtime inconsistency", MarshallingError: "marshalling error",
	Unimplemented: "unimplemented", BadArguments: "bad arguments", NoNode: "no node", NoAuth: "no auth",
	BadVersion: "bad version", NoChildrenForEphemerals: "no children for ephemerals",
	NodeExists: "node exists", NotEmpty: "not empty", SessionExpired: "session expired",
	InvalidACL: "invalid acl", AuthFailed: "auth failed",
}

// String names the code.
func (c Code) String() string {
	if name, ok := codeNames[c]; ok {
		return name
	}
	return "code " + strconv.Itoa(int(c))
}
