package gitindex

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// BenchmarkReplace changes one entry of indexes of several sizes: in memory; with reading, writing and
// renaming; and through git, beside a git that does nothing, to be subtracted.
func BenchmarkReplace(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		r := newRepository(b, "sha1")
		fill(r, n)
		_, blob, trees := r.commit("another content\n")
		st, _ := StatOf(r.write(subject, "another content\n"))
		index := r.index()
		b.Run(fmt.Sprintf("memory/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(index)))
			for b.Loop() {
				if _, err := Replace(index, 20, []Replacement{{subject, blob, &st}}, trees); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("find/%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Find(index, 20, subject); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("time/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := FileTime(index, 20, subject, &st, time.Unix(9e8, 0), time.Unix(2e9, 0)); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("file/%d", n), func(b *testing.B) {
			for b.Loop() {
				old := r.index()
				patch, err := Replace(old, 20, []Replacement{{subject, blob, &st}}, trees)
				if err != nil {
					b.Fatal(err)
				}
				r.place(old, &st, func(f *os.File) error { return patch.Write(f) })
			}
		})
		b.Run(fmt.Sprintf("git/%d", n), func(b *testing.B) {
			info := fmt.Sprintf("100644,%x,%s", blob, subject)
			for b.Loop() {
				r.git("update-index", "--cacheinfo", info)
			}
		})
		b.Run(fmt.Sprintf("gitversion/%d", n), func(b *testing.B) {
			for b.Loop() {
				r.git("version")
			}
		})
		if err := os.RemoveAll(r.dir); err != nil {
			b.Fatal(err)
		}
	}
}
