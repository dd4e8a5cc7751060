package zkstate

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"time"
)

// closeSession resumes a session on a connection of its own, and closes it: what
// its owner sees is an expiry. The owner may take the session back in between,
// so it's tried until the server doesn't know it any more.
func closeSession(addr string, h hello) error {
	deadline := time.Now().Add(10 * time.Second)
	for time.Now().Before(deadline) {
		if gone, err := resumeAndClose(addr, h); gone || err != nil {
			return err
		}
	}
	return fmt.Errorf("session %x is still there after 10s", h.id)
}

// resumeAndClose reports whether the server refused the session.
func resumeAndClose(addr string, h hello) (gone bool, err error) {
	conn, err := net.DialTimeout("tcp", addr, 5*time.Second)
	if err != nil {
		return false, err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return false, err
	}
	u32, u64 := binary.BigEndian.AppendUint32, binary.BigEndian.AppendUint64
	b := u32(nil, uint32(4+8+4+8+4+len(h.password)))
	b = u64(u32(b, 0), 0) // protocol, last zxid seen
	b = u64(u32(b, uint32(h.timeout.Milliseconds())), uint64(h.id))
	b = append(u32(b, uint32(len(h.password))), h.password[:]...)
	opcode := int32(opClose)
	b = u32(u32(u32(b, 8), 1), uint32(opcode))
	if _, err := conn.Write(b); err != nil {
		return false, nil // cut: the owner took it back
	}
	reply := make([]byte, helloLen)
	if _, err := io.ReadFull(conn, reply); err != nil {
		return false, nil
	}
	if binary.BigEndian.Uint64(reply[12:]) == 0 {
		return true, nil
	}
	io.Copy(io.Discard, conn)
	return false, nil
}
