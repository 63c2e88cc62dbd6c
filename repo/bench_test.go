package repo

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/oaptest"
)

// benchSizes are numbers of files in a repository; OAP_BENCH_SIZES gives others ("10,1000").
func benchSizes(b *testing.B) []int {
	list := os.Getenv("OAP_BENCH_SIZES")
	if list == "" {
		list = "10,1000,10000,100000"
	}
	var out []int
	for s := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		out = append(out, n)
	}
	return out
}

const benchFile = "profiles/00/user-0.yaml"

// BenchmarkProcess is one Update of one file by a process of its own, start and end included, beside
// git add and git commit of the same file in the same repository. There are no thresholds.
func BenchmarkProcess(b *testing.B) {
	for _, n := range benchSizes(b) {
		r := oaptest.New(b)
		r.Fill(n)
		r.Git("gc", "-q")
		bare := r.At(r.Beside("bare.git"))
		r.Git("clone", "-q", "--bare", ".", bare.Dir)
		b.Run(fmt.Sprintf("files=%d/start", n), func(b *testing.B) {
			for b.Loop() {
				runJob(b, r, "append "+benchFile+" 0 x")
			}
		})
		b.Run(fmt.Sprintf("files=%d/oap", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				runJob(b, r, fmt.Sprintf("append %s 1 x%d-%d", benchFile, b.N, i))
			}
		})
		b.Run(fmt.Sprintf("files=%d/git", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				r.Write(benchFile, fmt.Sprintf("name: user-0\n%d %d\n\n", b.N, i))
				r.Git("add", benchFile)
				r.Git("commit", "-q", "-m", "x")
			}
		})
		b.Run(fmt.Sprintf("files=%d/oap-bare", n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				runJob(b, bare, fmt.Sprintf("append %s 1 x%d-%d", benchFile, b.N, i))
			}
		})
	}
}

func runJob(b *testing.B, r *oaptest.Repo, job string) {
	if out, err := childCommand(r, job).CombinedOutput(); err != nil {
		b.Fatalf("%v %s", err, out)
	}
}

// BenchmarkUpdate is the same work in one process that stays.
func BenchmarkUpdate(b *testing.B) {
	for _, n := range benchSizes(b) {
		r := oaptest.New(b)
		r.Fill(n)
		got := open(b, r)
		b.Run(fmt.Sprintf("files=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				must(got.Update(b.Context(), toMain, put(benchFile, fmt.Sprint(b.N, i), "s")))(b)
			}
		})
	}
}

// BenchmarkBatch is one Update of many commits in a bare repository.
func BenchmarkBatch(b *testing.B) {
	r := oaptest.New(b, "--bare")
	r.Fill(1000)
	got := open(b, r)
	for i := 0; b.Loop(); i++ {
		p := &Plan{}
		for k := range 1000 {
			p.Commits = append(p.Commits, PlannedCommit{Message: Message{Subject: "s"}, Changes: []Change{{
				Path: fmt.Sprintf("profiles/%02x/user-%d.yaml", k%256, k), Data: fmt.Appendf(nil, "%d %d %d", b.N, i, k)}}})
		}
		must(got.Update(b.Context(), toMain, fixed(p)))(b)
	}
	b.ReportMetric(1000*float64(b.N)/b.Elapsed().Seconds(), "commits/s")
}

// BenchmarkRead is what reading costs: a process that opens and reads one file.
func BenchmarkOpenAndRead(b *testing.B) {
	r := oaptest.New(b)
	r.Fill(1000)
	for b.Loop() {
		got := must(Open(b.Context(), Options{Dir: r.Dir, Env: r.Env}))(b)
		h := must(got.Head(b.Context()))(b)
		s := must(got.Snapshot(b.Context(), h.Commit))(b)
		must(s.File(b.Context(), benchFile))(b)
		got.Close()
	}
}
