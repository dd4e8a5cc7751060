package zkstate

// The sizes of requests on the wire, in ZooKeeper's encoding (jute): an int is
// 4 bytes, a bool 1, a string or a buffer 4 and its bytes, a list 4 and its
// elements.

const (
	frameHead   = 4 + 8     // length; xid and opcode
	multiHead   = 4 + 1 + 4 // before each operation, and once at the end
	defaultACLs = 4 + 4 + (4 + len("world")) + (4 + len("anyone"))
)

// Opcodes of frames that no request of ours makes: see wire.
const (
	opPing       = 11
	opSetAuth    = 100
	opSetWatches = 101
	opClose      = -11
)

func str(s string) int { return 4 + len(s) }
func buf(b []byte) int { return 4 + len(b) }
func aclSize(l []ACL) int {
	if l == nil {
		return defaultACLs
	}
	n := 4
	for _, a := range l {
		n += 4 + str(a.Scheme) + str(a.ID)
	}
	return n
}

func (r Create) opSize() int { return multiHead + r.body() }
func (r Set) opSize() int    { return multiHead + r.body() }
func (r Delete) opSize() int { return multiHead + str(r.Path) + 4 }
func (r Check) opSize() int  { return multiHead + str(r.Path) + 4 }

func (r Create) body() int { return str(r.Path) + buf(r.Data) + aclSize(r.ACL) + 4 }
func (r Set) body() int    { return str(r.Path) + buf(r.Data) + 4 }

func (r Create) size() int   { return frameHead + r.body() }
func (r Set) size() int      { return frameHead + r.body() }
func (r Delete) size() int   { return frameHead + str(r.Path) + 4 }
func (r Exists) size() int   { return frameHead + str(r.Path) + 1 }
func (r Get) size() int      { return frameHead + str(r.Path) + 1 }
func (r Children) size() int { return frameHead + str(r.Path) + 1 }
func (r Sync) size() int     { return frameHead + str(r.Path) }
func (r GetACL) size() int   { return frameHead + str(r.Path) }
func (r SetACL) size() int   { return frameHead + str(r.Path) + aclSize(r.ACL) + 4 }

func (r Multi) size() int {
	n := frameHead + multiHead
	for _, op := range r.Ops {
		n += op.opSize()
	}
	return n
}

// roots is how many bytes a chroot adds to r.
func roots(r Request, root string) int {
	if m, ok := r.(Multi); ok {
		return len(root) * len(m.Ops)
	}
	return len(root)
}
