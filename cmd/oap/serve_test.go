package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/open-agent-profile/oap/internal/oaptest"
	"github.com/open-agent-profile/oap/schemas"
)

const serveBase = `oap: "1.0"
kind: AgentProfile
metadata: {name: base, description: The base., revision: 1}
spec:
  role: {instructions: Be careful.}
  tools: {allow: [read, write]}
`

// servePersona is a persona of that base.
func servePersona(name, allow string) string {
	return fmt.Sprintf(`oap: "1.0"
kind: AgentProfile
extends: [{name: base}]
metadata: {name: %s, description: Reads., revision: 1}
spec:
  role: {instructions: Read.}
  tools: {policy: allowlist, allow: [%s]}
`, name, allow)
}

const serveSkills = `version: 1
skills:
  - {id: reading, name: Reading, description: Reads a text., tags: [text], requires: [read]}
  - {id: writing, name: Writing, description: Writes a text., tags: [text], requires: [write]}
`

const servePublish = `version: 1
provider: {organization: Example, url: https://example.org}
interface: {url: "https://agents.example.org/a/{name}", binding: JSONRPC, protocol_version: "1.0"}
personas: [reader, writer]
`

// served is a server under test, in this process.
type served struct {
	url  string
	repo *oaptest.Repo
	log  *lockedBuffer
	stop func() error
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// serveRepo is a repository with two public personas.
func serveRepo(t testing.TB) *oaptest.Repo {
	t.Helper()
	g := oaptest.New(t)
	g.Commit("start",
		".agents/base.agent.yaml", serveBase,
		".agents/reader.agent.yaml", servePersona("reader", "read"),
		".agents/writer.agent.yaml", servePersona("writer", "write"),
		".agents/personas/skills.yaml", serveSkills,
		".agents/personas/publish.yaml", servePublish)
	return g
}

func serveCards(t testing.TB, l limits) *served {
	t.Helper()
	g := serveRepo(t)
	ctx, cancel := context.WithCancel(t.Context())
	out, w := io.Pipe()
	log := &lockedBuffer{}
	env := map[string]string{}
	for _, kv := range g.Env {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	env["OAP_USER_ROOT"] = "none"
	a := newApp(strings.NewReader(""), w, log, func(k string) string { return env[k] })
	a.environ, a.dir, a.json = g.Env, g.Dir, true
	ended := make(chan error, 1)
	go func() {
		err := a.runServe(ctx, serveOptions{listen: "127.0.0.1:0", standard: "reader", maxAge: time.Minute, poll: 20 * time.Millisecond}, l)
		w.CloseWithError(io.EOF)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err, <-ended, log)
	}
	var said struct{ Type, URL string }
	if err := json.Unmarshal([]byte(line), &said); err != nil || said.Type != "listening" {
		t.Fatal(line, err)
	}
	s := &served{url: said.URL, repo: g, log: log}
	s.stop = sync.OnceValue(func() error { cancel(); return <-ended })
	t.Cleanup(func() { _ = s.stop() })
	return s
}

// ask gives an answer with its body.
func (s *served) ask(t testing.TB, method, path string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// until asks again and again until the answer is as wanted.
func (s *served) until(t testing.TB, path string, status int, has string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		resp, body := s.ask(t, "GET", path)
		if resp.StatusCode == status && strings.Contains(body, has) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s: still %d %s\n%s", path, resp.StatusCode, body, s.log)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// tagOf is the entity tag that a body must have.
func tagOf(body string) string { return fmt.Sprintf("\"%.16x\"", sha256.Sum256([]byte(body))) }

const readerCard = "/a/reader/" + wellKnown

func TestServe(t *testing.T) {
	t.Parallel()
	s := serveCards(t, serveLimits)
	resp, body := s.ask(t, "GET", readerCard)
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Cache-Control": "public, max-age=60", "Access-Control-Allow-Origin": "*",
		"X-Content-Type-Options": "nosniff", "Etag": tagOf(body),
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if cookie := resp.Header.Get("Set-Cookie"); resp.StatusCode != 200 || cookie != "" || resp.ContentLength != int64(len(body)) {
		t.Errorf("%d %q %d", resp.StatusCode, cookie, resp.ContentLength)
	}
	if _, same := s.ask(t, "GET", "/"+wellKnown); same != body {
		t.Errorf("the default card is another:\n%s", same)
	}
	if code, card := oapIn(t, s.repo.With("OAP_USER_ROOT=none"), "", "card", "reader"); code != 0 || strings.TrimSuffix(card, "\n") != body {
		t.Errorf("oap card gives another: %d %s", code, card)
	}
	head, nothing := s.ask(t, "HEAD", readerCard)
	head.Header.Del("Date")
	resp.Header.Del("Date")
	if d := cmp.Diff(resp.Header, head.Header); d != "" || nothing != "" || head.ContentLength != resp.ContentLength {
		t.Errorf("HEAD: %s%q", d, nothing)
	}

	tag := resp.Header.Get("ETag")
	for _, tt := range []struct {
		none string
		want int
	}{
		{tag, 304}, {"W/" + tag, 304}, {"*", 304}, {`"a", ` + tag + `, "b"`, 304},
		{`"a"`, 200}, {strings.Trim(tag, `"`), 200},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			resp, body := s.ask(t, method, readerCard, "If-None-Match", tt.none)
			if resp.StatusCode != tt.want || tt.want == 304 && (body != "" || resp.Header.Get("ETag") != tag || resp.Header.Get("Cache-Control") == "") {
				t.Errorf("%s If-None-Match %s: %d, want %d; %q %v", method, tt.none, resp.StatusCode, tt.want, body, resp.Header)
			}
		}
	}

	// What is not public cannot be told from what does not exist.
	missing := func(path string) string {
		resp, body := s.ask(t, "GET", path)
		if resp.StatusCode != 404 {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
		resp.Header.Del("Date")
		return fmt.Sprint(resp.Header, body)
	}
	want := missing("/a/nobody/" + wellKnown)
	for _, path := range []string{"/", "/a/", "/a/base/" + wellKnown, "/a/reader", "/a//" + wellKnown, "/a/READER/" + wellKnown, "/a/reader/../writer/" + wellKnown,
		"/.well-known/", "/.agents/base.agent.yaml", "/a/reader/" + wellKnown + "/", "/a/%00/" + wellKnown, "/a/%E2%80%AE/x", "/a/" + strings.Repeat("x", 4000)} {
		if got := missing(path); got != want {
			t.Errorf("%s is told apart:\n%s\n%s", path, got, want)
		}
	}
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "BREW"} {
		for _, path := range []string{readerCard, "/a/nobody/" + wellKnown} {
			if resp, _ := s.ask(t, method, path); resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, HEAD" {
				t.Errorf("%s %s: %d, Allow %q", method, path, resp.StatusCode, resp.Header.Get("Allow"))
			}
		}
	}
	if resp, body := s.ask(t, "GET", "/healthz"); resp.StatusCode != 200 || body != "ok\n" {
		t.Errorf("/healthz: %d %q", resp.StatusCode, body)
	}

	// A delta changes no card; a new commit does without a restart; one that is wrong takes only itself away.
	if code, out := oapIn(t, s.repo, writersDelta("reader", 1, "a"), "apply-delta", "-", "--approve", "--actor", "Alex <alex@example.org>"); code != 0 {
		t.Fatal(code, out)
	}
	s.repo.Commit("more", ".agents/reader.agent.yaml", servePersona("reader", "read, write"))
	s.until(t, readerCard, 200, `"writing"`)
	s.repo.Commit("wide", ".agents/reader.agent.yaml", servePersona("reader", "read, delete"))
	s.until(t, readerCard, 404, "")
	s.until(t, "/"+wellKnown, 404, "")
	s.until(t, "/a/writer/"+wellKnown, 200, `"writing"`)
	if log := s.log.String(); !strings.Contains(log, `"msg":"not served"`) || !strings.Contains(log, "not-subset") {
		t.Errorf("the log does not say why:\n%s", log)
	}
	s.repo.Commit("back", ".agents/reader.agent.yaml", servePersona("reader", "read"))
	s.until(t, readerCard, 200, `"reading"`)
	if resp, again := s.ask(t, "GET", readerCard); again != body || resp.Header.Get("ETag") != tag {
		t.Errorf("the way back gives another card:\n%s\n%s", again, body)
	}

	// A repository that cannot be read keeps the last good cards, and says so where health is asked for.
	if err := os.Rename(s.repo.Dir+"/.git", s.repo.Dir+"/.gone"); err != nil {
		t.Fatal(err)
	}
	s.until(t, "/healthz", 503, "")
	s.until(t, readerCard, 200, `"reading"`)
	if err := os.Rename(s.repo.Dir+"/.gone", s.repo.Dir+"/.git"); err != nil {
		t.Fatal(err)
	}
	s.until(t, "/healthz", 200, "ok")
	if err := s.stop(); err != nil {
		t.Error(err)
	}
	// Each line of the log is JSON, whatever was asked.
	for line := range strings.Lines(s.log.String()) {
		if !json.Valid([]byte(line)) {
			t.Errorf("not JSON: %s", line)
		}
	}
	if _, err := http.Get(s.url + "/healthz"); err == nil {
		t.Error("still listening")
	}
}

// TestServeUnderLoad asks 2,000 times from 20 clients while commits change the personas. Each answer is one whole
// card whose ETag is of its bytes, and what is held in memory does not grow.
func TestServeUnderLoad(t *testing.T) {
	t.Parallel()
	s := serveCards(t, serveLimits)
	clients, each := 20, 100
	if testing.Short() {
		each = 10
	}
	run := func() {
		var done atomic.Int64
		var wg sync.WaitGroup
		for range clients {
			wg.Go(func() {
				for range each {
					resp, body := s.ask(t, "GET", readerCard)
					var card any
					if err := json.Unmarshal([]byte(body), &card); err != nil || resp.StatusCode != 200 || resp.Header.Get("ETag") != tagOf(body) {
						t.Errorf("%d %v %v %q", resp.StatusCode, err, resp.Header, body)
						return
					}
					if found := schemas.Validate("card", card); len(found) > 0 {
						t.Errorf("%v in %s", found, body)
					}
					done.Add(1)
				}
			})
		}
		ended := make(chan struct{})
		go func() { wg.Wait(); close(ended) }()
		for i := 0; ; i++ {
			s.repo.Commit(fmt.Sprint("turn ", i), ".agents/reader.agent.yaml", servePersona("reader", []string{"read", "read, write"}[i%2])+fmt.Sprintf("# %d\n", i))
			select {
			case <-ended:
				if done.Load() != int64(clients*each) {
					t.Errorf("%d answers", done.Load())
				}
				return
			default:
			}
		}
	}
	held := func() uint64 {
		http.DefaultClient.CloseIdleConnections()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	run()
	before := held()
	run()
	// Other tests of this process run beside this one, so the bound is wide: 2,000 answers kept would be 40 MB with
	// their connections.
	if after := held(); after > before+32<<20 {
		t.Errorf("%d bytes are held after the second round, %d after the first", after, before)
	}
}

// TestServeCutsOff wants an end to the connections of clients that are slow or do not speak HTTP.
func TestServeCutsOff(t *testing.T) {
	t.Parallel()
	l := limits{header: 300 * time.Millisecond, read: 300 * time.Millisecond, write: 300 * time.Millisecond, idle: 300 * time.Millisecond, stop: time.Second, headerBytes: 4 << 10}
	s := serveCards(t, l)
	get := "GET " + readerCard + " HTTP/1.1\r\nHost: x\r\n"
	for name, text := range map[string]string{
		"silent": "", "half a line": "GET /a", "no end of the head": get + "X-A: b\r\n", "idle after an answer": get + "\r\n",
		"binary": "\x16\x03\x01\x00\xff\x00\r\n\r\n", "other protocol": "SSH-2.0-x\r\n\r\n", "folded": get + " folded\r\n\r\n",
		"large head": get + "X-A: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", "two lengths": get + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
		"a body that never comes": strings.Replace(get, "GET", "POST", 1) + "Content-Length: 100000\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			_, _ = io.WriteString(c, text) // the server may hang up before all of it is said
			_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
			if _, err := io.Copy(io.Discard, c); err != nil && os.IsTimeout(err) {
				t.Error("is still connected")
			}
		})
	}
	t.Run("others", func(t *testing.T) {
		t.Parallel()
		s.until(t, readerCard, 200, "reading")
	})
}

// TestServeEnds sends the signal that a service manager sends to the built binary.
func TestServeEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a program on Windows cannot send another a signal (os.Process.Signal)")
	}
	t.Parallel()
	g := serveRepo(t)
	cmd := exec.Command(oapBinary(t), "serve", "--listen", "127.0.0.1:0", "-C", g.Dir)
	cmd.Env = append(g.Env, "OAP_USER_ROOT=none")
	var log lockedBuffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "listening on http://127.0.0.1:") {
		t.Error(line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil || !strings.Contains(log.String(), "msg=stopped") {
		t.Errorf("%v\n%s", err, &log)
	}
}
