package secrets_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/open-agent-profile/oap/internal/secrets"
)

func facts(n int) any {
	list := make([]any, n)
	for i := range list {
		list[i] = map[string]any{
			"id": fmt.Sprintf("fact-%05d", i), "confidence": 0.9, "learned_at": "2026-08-14T09:30:00Z",
			"source": fmt.Sprintf("session sess_%05d", i), "tags": []any{"build", "token-budget"},
			"text": "The build needs key ordering: the token parser reads https://example.org/docs before it starts, so eyeball the order.",
		}
	}
	return map[string]any{"state": map[string]any{"facts": list}}
}

func BenchmarkScan(b *testing.B) {
	for _, size := range []struct {
		name  string
		facts int
	}{{"5KB", 18}, {"270KB", 1000}, {"2.7MB", 10000}} {
		v := facts(size.facts)
		b.Run(size.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				secrets.Scan(v)
			}
		})
	}
}

// Texts that repeat what the table looks for, without ever being it.
func BenchmarkAdversarial(b *testing.B) {
	for _, unit := range []string{"sk-", "ey-", "eyaaaaaaaaaa.a", "BEGIN ", "Basic ", "password:", "--token ", "://a:", "ghp_", "curl -u ", "curl -ua:", "AccountKey="} {
		s := strings.Repeat(unit, 2_700_000/len(unit))
		b.Run(strings.TrimSpace(unit), func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			for b.Loop() {
				secrets.ScanText(s)
			}
		})
	}
}
