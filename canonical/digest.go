package canonical

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

const digestPrefix = "sha256:"

// Digest is the SHA-256 of a canonical form. It is comparable and may be a map key; the zero Digest
// stands for "none".
type Digest [sha256.Size]byte

// Sum gives the digest of v's canonical bytes. The error is a [*ValueError].
func Sum(v any) (Digest, error) {
	b, err := JCS(v)
	if err != nil {
		return Digest{}, err
	}
	return sha256.Sum256(b), nil
}

// ParseDigest reads "sha256:" and 64 lower-case hex digits, the only spelling of the format
// (OAP schema, $defs/digest).
func ParseDigest(s string) (Digest, error) {
	var d Digest
	h, ok := strings.CutPrefix(s, digestPrefix)
	if !ok || len(h) != 2*len(d) || strings.ToLower(h) != h {
		return Digest{}, fmt.Errorf("%q is not sha256: and 64 lower-case hex digits", s)
	}
	if _, err := hex.Decode(d[:], []byte(h)); err != nil {
		return Digest{}, fmt.Errorf("%q is not sha256: and 64 lower-case hex digits", s)
	}
	return d, nil
}

// String gives the full text, "sha256:" and 64 hex digits.
func (d Digest) String() string { return digestPrefix + hex.EncodeToString(d[:]) }

// Short gives the first 12 hex digits, the length of an id in refs and tables.
func (d Digest) Short() string { return hex.EncodeToString(d[:6]) }

// IsZero reports whether d is the zero Digest.
func (d Digest) IsZero() bool { return d == Digest{} }

// MarshalText makes a Digest a JSON string; the zero Digest is the empty string.
func (d Digest) MarshalText() ([]byte, error) {
	if d.IsZero() {
		return nil, nil
	}
	return []byte(d.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (d *Digest) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*d = Digest{}
		return nil
	}
	v, err := ParseDigest(string(text))
	*d = v
	return err
}
