// Package canonical gives JSON values one spelling and one digest.
//
// A value is what encoding/json decodes into an empty interface: map[string]any, []any, string,
// float64, bool and nil. A [Pointer] addresses a place in it (RFC 6901), [JCS] gives its canonical
// bytes (RFC 8785) and [Sum] the SHA-256 of those bytes as a comparable [Digest].
//
// Most callers want two functions: [Sum] for "is this the same document?" and [Get] for "what stands
// there?". Everything is pure and safe for concurrent use, as long as nobody changes a value meanwhile.
//
// The package promises that two values share a digest only if they are equal: what canonical JSON
// cannot hold exactly is an error that names the pointer, never a rounded number or a replaced
// character. It does not parse text and knows nothing of profiles; readers of YAML and JSON refuse
// duplicate keys, lone surrogates and oversized integer literals before a value exists.
package canonical
