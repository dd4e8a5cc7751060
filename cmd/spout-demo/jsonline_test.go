package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/kspout/kspout/spout"
)

func TestAppendJSON(t *testing.T) {
	for _, tt := range []struct {
		line line
		want string
	}{
		{
			line{topic: "t", partition: 3, offset: 7, timestamp: 1700000000123, attempt: 1, value: []byte("v")},
			`{"topic":"t","partition":3,"offset":7,"timestamp":1700000000123,"attempt":1,"key":null,"value":"v","headers":[]}`,
		}, {
			line{topic: "t", timestamp: -1, attempt: 2, key: []byte{}, failed: true},
			`{"topic":"t","partition":0,"offset":0,"timestamp":-1,"attempt":2,"key":"","value":null,"headers":[],"failed":true}`,
		}, {
			line{
				topic: "t", attempt: 1, key: []byte("\xff\xfe"), value: []byte("a\"\\\n\r\t\x00<é\u2028"),
				headers: []spout.Header{{Key: "h", Value: []byte("1")}, {Key: "h"}, {Key: "", Value: []byte{0x80}}},
			},
			`{"topic":"t","partition":0,"offset":0,"timestamp":0,"attempt":1,"key":{"base64":"//4="},"value":"a\"\\\n\r\t\u0000<é` + "\u2028" +
				`","headers":[{"key":"h","value":"1"},{"key":"h","value":null},{"key":"","value":{"base64":"gA=="}}]}`,
		},
	} {
		if got := string(appendJSON(nil, &tt.line)); got != tt.want+"\n" {
			t.Errorf("appendJSON\n got %s want %s", got, tt.want)
		}
	}
}

// FuzzAppendBytes checks that a JSON reader gets exactly the bytes that went in.
func FuzzAppendBytes(f *testing.F) {
	f.Add([]byte("plain"))
	f.Add([]byte("\x00\x1f\"\\\u2028\x7f"))
	f.Add([]byte("\xed\xa0\x80"))
	f.Fuzz(func(t *testing.T, in []byte) {
		doc := appendBytes(nil, in)
		var got []byte
		var text *string
		if err := json.Unmarshal(doc, &text); err == nil && text != nil {
			got = []byte(*text)
		} else {
			var b struct{ Base64 string }
			if err := json.Unmarshal(doc, &b); err != nil {
				t.Fatalf("%q became %s: %v", in, doc, err)
			}
			if utf8.Valid(in) {
				t.Fatalf("%q is UTF-8, and became %s", in, doc)
			}
			got, _ = base64.StdEncoding.DecodeString(b.Base64)
		}
		if in != nil && !bytes.Equal(got, in) {
			t.Fatalf("%q became %s, which is %q", in, doc, got)
		}
	})
}

func BenchmarkAppendJSON(b *testing.B) {
	l := line{topic: "orders", partition: 3, offset: 1 << 30, timestamp: 1700000000123, attempt: 1,
		key: []byte("key-12345678"), value: bytes.Repeat([]byte("x"), 100)}
	buf := make([]byte, 0, 1024)
	b.ReportAllocs()
	for b.Loop() {
		buf = appendJSON(buf[:0], &l)
	}
}
