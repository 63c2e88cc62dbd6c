package repo

import (
	"context"
	"errors"
	"fmt"
)

// Blobs reads many blobs in one question to git and calls each with them in order. Unlike [Snapshot.Blob]
// nothing is kept, and the bytes belong to the callee. It stops at the first error, be it each's own.
func (r *Repo) Blobs(ctx context.Context, ids []ID, each func(i int, data []byte) error) error {
	if len(ids) == 0 {
		return nil
	}
	names := make([]string, len(ids))
	for i, id := range ids {
		if !id.valid() {
			return invalid("bad-id", string(id), "not an object name")
		}
		names[i] = string(id)
	}
	return r.objects(ctx, names, func(i int, o object, err error) error {
		switch {
		case errors.Is(err, errMissing):
			return &Error{Kind: NotFound, Reason: "no-object", Path: names[i], Msg: "no such blob", Err: err}
		case errors.Is(err, errTooLarge):
			return &Error{Kind: Invalid, Reason: "too-large", Path: names[i], Msg: "blob cannot be read", Err: err}
		case err != nil:
			return fmt.Errorf("blob %s: %w", names[i], err)
		case o.typ != "blob":
			return invalid("wrong-type", names[i], "is a %s, not a blob", o.typ)
		}
		return each(i, o.data)
	})
}
