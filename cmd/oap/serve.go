package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/open-agent-profile/oap/internal/term"
	"github.com/open-agent-profile/oap/interop/agentcard"
	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// limits are the times after which a client is cut off, and how large its head may be.
type limits struct {
	header, read, write, idle, stop time.Duration
	headerBytes                     int
}

var serveLimits = limits{header: 5 * time.Second, read: 10 * time.Second, write: 10 * time.Second, idle: time.Minute, stop: 5 * time.Second, headerBytes: 16 << 10}

type serveOptions struct {
	listen, standard string
	maxAge, poll     time.Duration
}

func (a *app) newServeCommand() *cobra.Command {
	o := serveOptions{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the A2A Agent Cards of the public personas",
		Long: `Serve each public persona's card at /a/NAME/` + wellKnown + `,
with the card of --default at /` + wellKnown + `, too, and /healthz.
Cards are read at the tip of the branch; a new commit is noticed within --poll and takes the
place of the old one at once. A persona that the new commit breaks is no longer served, and the
log says why; the others go on.

There is no list of personas, and a name that is unknown or not public gives the same 404.
The log goes to standard error, as lines of JSON with --json. The server has no TLS and no
limit of requests: put a reverse proxy before it to be reached from elsewhere. SIGTERM and
SIGINT end it after the requests under way, with exit 0.`,
		Example: `  oap serve
  oap serve --listen 127.0.0.1:0 --default reviewer --json
  oap serve -C /srv/agents.git --max-age 5m`,
		Args: takes(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runServe(cmd.Context(), o, serveLimits) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:8383", "listen on `HOST:PORT`; port 0 takes a free one")
	f.StringVar(&o.standard, "default", "", "the persona `NAME` whose card stands at the top, too")
	f.DurationVar(&o.maxAge, "max-age", time.Minute, "how long others may keep a card, as a `TIME` like 5m")
	f.DurationVar(&o.poll, "poll", time.Second, "look for a new commit every `TIME`")
	return cmd
}

func (a *app) runServe(ctx context.Context, o serveOptions, l limits) error {
	switch {
	case o.maxAge < 0 || o.maxAge%time.Second != 0:
		return usagef("--max-age is whole seconds, not %s", o.maxAge)
	case o.poll < 10*time.Millisecond:
		return usagef("--poll is at least 10ms, not %s", o.poll)
	}
	s := &cardServer{app: a, standard: o.standard, cacheControl: fmt.Sprintf("public, max-age=%d", int(o.maxAge.Seconds())), log: a.logger()}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", o.listen)
	if err != nil {
		var address *net.AddrError
		var dns *net.DNSError
		if errors.As(err, &address) || errors.As(err, &dns) {
			return usagef("--listen: %v", err)
		}
		return err
	}
	defer listener.Close() // the server has closed it already where it came to serve
	if err := s.start(ctx); err != nil {
		return err
	}
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: l.header, ReadTimeout: l.read, WriteTimeout: l.write, IdleTimeout: l.idle, MaxHeaderBytes: l.headerBytes,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
	}
	if err := a.listening(listener.Addr()); err != nil {
		return err
	}
	followed := make(chan struct{})
	go func() {
		defer close(followed)
		s.follow(ctx, o.poll)
	}()
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		// What ends the run must not end the requests under way with it.
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.stop)
		defer cancel()
		err := server.Shutdown(within)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		stopped <- err
	}()
	err = server.Serve(listener)
	if !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	err = <-stopped
	<-followed
	s.log.Info("stopped")
	return err
}

// listening says where; a script that asked for port 0 reads it from standard output.
func (a *app) listening(addr net.Addr) error {
	url := "http://" + addr.String()
	if a.json {
		return a.emit(struct {
			Type string `json:"type"` // "listening"
			URL  string `json:"url"`
		}{"listening", url})
	}
	a.printf("listening on %s\n", url)
	return nil
}

// logger writes lines for machines with --json, and nothing but warnings with --quiet.
func (a *app) logger() *slog.Logger {
	o := &slog.HandlerOptions{}
	if a.quiet {
		o.Level = slog.LevelWarn
	}
	if a.json {
		return slog.New(slog.NewJSONHandler(a.err, o))
	}
	return slog.New(slog.NewTextHandler(a.err, o))
}

// hand is what is served at one moment. It is never changed: a new commit makes a new one.
type hand struct {
	commit repo.ID
	cards  map[string]*agentcard.Card // by path
	sick   bool                       // the repository could not be read since
}

// cardServer serves one hand after another.
type cardServer struct {
	app          *app
	standard     string
	cacheControl string
	log          *slog.Logger
	hand         atomic.Pointer[hand]
}

// start wants everything that is public to be servable: who starts a server can still mend it.
func (s *cardServer) start(ctx context.Context) error {
	_, tip, _, err := s.app.committed(ctx)
	if err != nil {
		return err
	}
	if tip.ID() == "" {
		return &notFoundError{"the branch has no commit yet"}
	}
	cards, err := s.app.cards(ctx, string(tip.ID()))
	if err != nil {
		return err
	}
	if len(cards) == 0 {
		return &notFoundError{"no persona is public"}
	}
	if s.standard != "" && cards[s.standard] == nil {
		return &notFoundError{fmt.Sprintf("no public persona is named %q", s.standard)}
	}
	s.deal(tip.ID(), cards)
	return nil
}

// deal makes cards the ones that are served.
func (s *cardServer) deal(commit repo.ID, cards map[string]*agentcard.Card) {
	h := &hand{commit: commit, cards: make(map[string]*agentcard.Card, len(cards)+1)}
	for name, c := range cards {
		h.cards["/a/"+name+"/"+wellKnown] = c
		if name == s.standard {
			h.cards["/"+wellKnown] = c
		}
	}
	s.hand.Store(h)
	s.log.Info("serving", "commit", string(commit), "cards", len(cards))
}

// follow looks for new commits until the context ends.
func (s *cardServer) follow(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := s.refresh(ctx); err != nil && ctx.Err() == nil {
			old := s.hand.Load()
			if !old.sick {
				s.log.Error("the repository cannot be read; the cards of the last commit stay", "error", term.Escape(err.Error()))
				s.hand.Store(&hand{old.commit, old.cards, true})
			}
		}
	}
}

// refresh deals the cards of the tip if it is not the one that is served. The error is of a repository that cannot
// be read; what is wrong with personas takes them out of service.
func (s *cardServer) refresh(ctx context.Context) error {
	_, tip, _, err := s.app.committed(ctx)
	if err != nil {
		return err
	}
	old := s.hand.Load()
	if tip.ID() == old.commit {
		if old.sick {
			s.hand.Store(&hand{old.commit, old.cards, false})
		}
		return nil
	}
	casts, err := s.app.casts(ctx, string(tip.ID()))
	if err != nil {
		return err
	}
	cards := map[string]*agentcard.Card{}
	for _, c := range casts {
		worn, findings, err := c.judge(ctx)
		if err != nil {
			return err
		}
		for _, f := range findings {
			if f.Severity == profile.Error {
				s.log.Error("not served", "commit", string(tip.ID()), "finding", term.Escape(f.String()))
			}
		}
		for _, w := range worn {
			card, err := w.card()
			var invalid *profile.InvalidError
			switch {
			case errors.As(err, &invalid): // said above
			case err != nil:
				s.log.Error("not served", "persona", term.Escape(w.entry.Name()), "error", term.Escape(err.Error()))
			case cards[card.Name] != nil:
				s.log.Error("not served from a second profile root", "persona", term.Escape(card.Name), "root", term.Escape(c.root))
			default:
				cards[card.Name] = card
			}
		}
	}
	s.deal(tip.ID(), cards)
	return nil
}

// ServeHTTP answers GET and HEAD. All that is not there gives the same answer, byte for byte.
func (s *cardServer) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	began := time.Now()
	rec := &recorder{ResponseWriter: w, status: http.StatusOK}
	defer func() {
		s.log.Info("request", "method", term.Escape(clip(req.Method)), "path", term.Escape(clip(req.URL.Path)), "status", rec.status, "bytes", rec.bytes,
			"ms", float64(time.Since(began).Microseconds())/1000, "remote", req.RemoteAddr)
	}()
	h := rec.Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'")
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		plain(rec, http.StatusMethodNotAllowed, "only GET and HEAD\n")
		return
	}
	now := s.hand.Load()
	if req.URL.Path == "/healthz" {
		if now.sick {
			plain(rec, http.StatusServiceUnavailable, "the repository cannot be read\n")
			return
		}
		plain(rec, http.StatusOK, "ok\n")
		return
	}
	card := now.cards[req.URL.Path]
	if card == nil {
		plain(rec, http.StatusNotFound, "not found\n")
		return
	}
	h.Set("Content-Type", "application/json")
	h.Set("ETag", card.ETag())
	h.Set("Cache-Control", s.cacheControl)
	h.Set("Access-Control-Allow-Origin", "*")
	// It knows conditional requests, ranges and HEAD (RFC 9110 §13, §14).
	http.ServeContent(rec, req, "", time.Time{}, bytes.NewReader(card.Bytes))
}

// plain answers what nobody should keep.
func plain(w http.ResponseWriter, status int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = strings.NewReader(text).WriteTo(w) // a client that is gone reads no answer
}

// clip keeps a log line short whatever a client sends.
func clip(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// recorder notes what was answered, for the log.
type recorder struct {
	http.ResponseWriter
	status, bytes int
	wrote         bool
}

func (r *recorder) WriteHeader(status int) {
	if !r.wrote {
		r.status, r.wrote = status, true
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.wrote = true
	n, err := r.ResponseWriter.Write(b)
	r.bytes += n
	return n, err
}
