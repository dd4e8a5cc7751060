package zkserver

import (
	"runtime/metrics"
	"testing"

	"github.com/kspout/kspout/internal/zkserver/jute"
)

// allocated returns how many bytes the process has allocated so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// FuzzRequest feeds hostile frames to the decoders: no panic, and no more
// memory than a multiple of what came in.
func FuzzRequest(f *testing.F) {
	frame := func(op Op, body func(*jute.Encoder)) []byte {
		var e jute.Encoder
		e.Int32(1)
		e.Int32(int32(op))
		body(&e)
		return e.Bytes()
	}
	create := func(e *jute.Encoder) {
		e.String("/a")
		e.Buffer([]byte("data"))
		e.Int32(1)
		e.Int32(31)
		e.String("world")
		e.String("anyone")
		e.Int32(3)
	}
	f.Add(frame(OpCreate, create))
	f.Add(frame(OpGetData, func(e *jute.Encoder) { e.String("/a"); e.Bool(true) }))
	f.Add(frame(OpMulti, func(e *jute.Encoder) {
		for _, done := range []bool{false, false, true} {
			e.Int32(int32(OpCreate))
			e.Bool(done)
			e.Int32(-1)
			create(e)
		}
	}))
	f.Add(frame(OpSetWatches, func(e *jute.Encoder) {
		e.Int64(7)
		for range 3 {
			e.Strings([]string{"/a", "/b"})
		}
	}))
	f.Add(frame(OpSetACL, func(e *jute.Encoder) { e.String("/a"); e.Int32(1 << 30) }))
	f.Add(frame(OpAuth, func(e *jute.Encoder) { e.Int32(0); e.String("digest"); e.Buffer([]byte("a:b")) }))
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x27, 0x10})
	f.Fuzz(func(t *testing.T, b []byte) {
		before := allocated()
		req, err := decodeRequest(b)
		_, _ = decodeConnect(b)
		// The runtime counts what it hands out to a processor, hence the slack.
		if used := allocated() - before; used > uint64(64*len(b))+1<<20 {
			t.Errorf("%d bytes of input took %d of memory", len(b), used)
		}
		if err == nil && req.op == OpMulti {
			if m := req.body.(multi); len(m.ops) != len(m.types) || len(m.ops) != len(req.paths) {
				t.Errorf("%d operations, %d types, %d paths", len(m.ops), len(m.types), len(req.paths))
			}
		}
	})
}
