package main

import (
	"strconv"
	"strings"
)

// verbs are what a format may name with %.
var verbs = map[byte]appender{
	't': func(dst []byte, l *line) []byte { return append(dst, l.topic...) },
	'p': func(dst []byte, l *line) []byte { return strconv.AppendInt(dst, int64(l.partition), 10) },
	'o': func(dst []byte, l *line) []byte { return strconv.AppendInt(dst, l.offset, 10) },
	'k': func(dst []byte, l *line) []byte { return append(dst, l.key...) },
	'v': func(dst []byte, l *line) []byte { return append(dst, l.value...) },
	'h': appendHeaders,
	'T': func(dst []byte, l *line) []byte { return strconv.AppendInt(dst, l.timestamp, 10) },
	'a': func(dst []byte, l *line) []byte { return strconv.AppendInt(dst, int64(l.attempt), 10) },
	'%': func(dst []byte, _ *line) []byte { return append(dst, '%') },
}

func appendHeaders(dst []byte, l *line) []byte {
	for i, h := range l.headers {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, h.Key...)
		dst = append(dst, '=')
		dst = append(dst, h.Value...)
	}
	return dst
}

// parseFormat compiles a format: verbs behind %, escapes behind \, and text.
func parseFormat(format string) (appender, error) {
	var parts []appender
	var text []byte
	flush := func() {
		if len(text) > 0 {
			s := string(text)
			parts = append(parts, func(dst []byte, _ *line) []byte { return append(dst, s...) })
			text = nil
		}
	}
	for i := 0; i < len(format); i++ {
		switch c := format[i]; {
		case c != '%' && c != '\\':
			text = append(text, c)
		case i+1 == len(format):
			return nil, usagef("the format %q ends with a lone %c", format, c)
		case c == '%':
			i++
			v, ok := verbs[format[i]]
			if !ok {
				return nil, usagef("the format %q has %%%c: want one of %%t %%p %%o %%k %%v %%h %%T %%a %%%%", format, format[i])
			}
			flush()
			parts = append(parts, v)
		default:
			i++
			e, ok := escapes[format[i]]
			if !ok {
				return nil, usagef(`the format %q has \%c: want one of \n \t \\`, format, format[i])
			}
			text = append(text, e)
		}
	}
	flush()
	return func(dst []byte, l *line) []byte {
		for _, p := range parts {
			dst = p(dst, l)
		}
		return dst
	}, nil
}

// escapes are what may stand behind a backslash.
var escapes = map[byte]byte{'n': '\n', 't': '\t', '\\': '\\'}

// unescape replaces the escapes in s; what is none of them stays as it is.
func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(s)
}
