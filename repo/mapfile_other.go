//go:build !unix

package repo

import (
	"io"
	"os"
)

func mapFile(f *os.File, _ int64) ([]byte, func(), error) {
	data, err := io.ReadAll(f)
	return data, nil, err
}
