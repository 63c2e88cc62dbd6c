package audit

import (
	"context"
	"sync"

	"github.com/open-agent-profile/oap/profile"
	"github.com/open-agent-profile/oap/repo"
)

// workers is how many goroutines decode. Reading waits for git most of the time.
const workers = 2

// atATime is how many blobs are asked for in one question.
const atATime = 256

// key names a document: the same bytes are another document in another encoding.
type key struct {
	blob     repo.ID
	encoding uint8
}

func keyOf(path string, blob repo.ID) key { return key{blob, uint8(profile.EncodingOf(path))} }

// job is a blob on its way to becoming a view.
type job struct {
	key  key
	path string
	text []byte
}

// reader decodes each distinct blob once, beside the walk that finds them. Blobs of one path go to one worker,
// so that it can use what neighbouring versions have in common.
type reader struct {
	ctx      context.Context
	cancel   context.CancelFunc
	repo     *repo.Repo
	asked    map[key]bool
	queue    chan job
	lanes    [workers]chan []job
	done     sync.WaitGroup
	progress func(decoded int)
	judge    judge

	mu    sync.Mutex
	views map[key]*view
	err   error
}

func newReader(ctx context.Context, r *repo.Repo, j judge, progress func(int)) *reader {
	ctx, cancel := context.WithCancel(ctx)
	d := &reader{
		ctx: ctx, cancel: cancel, repo: r, judge: j, progress: progress,
		asked: map[key]bool{}, views: map[key]*view{}, queue: make(chan job, 4096),
	}
	for i := range d.lanes {
		d.lanes[i] = make(chan []job, 4)
		d.done.Add(1)
		go d.decode(d.lanes[i])
	}
	d.done.Add(1)
	go d.fetch()
	return d
}

// want asks for a document; a blob of "" is none.
func (d *reader) want(path string, blob repo.ID) {
	k := keyOf(path, blob)
	if blob == "" || d.asked[k] {
		return
	}
	d.asked[k] = true
	select {
	case d.queue <- job{key: k, path: path}:
	case <-d.ctx.Done():
	}
}

// wait ends the asking and gives the first error.
func (d *reader) wait() error {
	close(d.queue)
	d.done.Wait()
	d.cancel()
	return d.err
}

func (d *reader) fail(err error) {
	d.mu.Lock()
	if d.err == nil {
		d.err = err
	}
	d.mu.Unlock()
	d.cancel()
}

// fetch reads blobs in the order of asking, as many at once as were asked for meanwhile.
func (d *reader) fetch() {
	defer d.done.Done()
	defer func() {
		for _, l := range d.lanes {
			close(l)
		}
	}()
	lane := map[string]int{}
	n := 0
	for first := range d.queue {
		batch := d.more([]job{first})
		ids := make([]repo.ID, len(batch))
		for i, j := range batch {
			ids[i] = j.key.blob
		}
		var sorted [workers][]job
		err := d.repo.Blobs(d.ctx, ids, func(i int, data []byte) error {
			j := batch[i]
			j.text = data
			at, known := lane[j.path]
			if !known {
				at = len(lane) % workers
				lane[j.path] = at
			}
			sorted[at] = append(sorted[at], j)
			return nil
		})
		if err != nil {
			d.fail(err)
			for range d.queue { // so that asking does not wait for ever
			}
			return
		}
		for i, jobs := range sorted {
			if len(jobs) > 0 {
				d.lanes[i] <- jobs
			}
		}
		if n += len(batch); d.progress != nil {
			d.progress(n)
		}
	}
}

// more takes what else waits, up to a batch.
func (d *reader) more(batch []job) []job {
	for len(batch) < atATime {
		select {
		case j, open := <-d.queue:
			if !open {
				return batch
			}
			batch = append(batch, j)
		default:
			return batch
		}
	}
	return batch
}

func (d *reader) decode(lane chan []job) {
	defer d.done.Done()
	known := map[string]*parts{}
	for jobs := range lane {
		views := make([]*view, len(jobs))
		for i, j := range jobs {
			p := known[j.path]
			if p == nil {
				p = newParts(d.judge)
				known[j.path] = p
			}
			views[i] = p.view(j.path, j.text)
		}
		d.mu.Lock()
		for i, j := range jobs {
			d.views[j.key] = views[i]
		}
		d.mu.Unlock()
	}
}

// view gives a document that was asked for, nil for none. After wait only.
func (d *reader) view(path string, blob repo.ID) *view {
	if blob == "" {
		return nil
	}
	return d.views[keyOf(path, blob)]
}

// now reads a document that nobody asked for before. After wait only; not for several goroutines.
func (d *reader) now(ctx context.Context, path string, blob repo.ID) (*view, error) {
	if blob == "" {
		return nil, nil
	}
	k := keyOf(path, blob)
	if v := d.views[k]; v != nil {
		return v, nil
	}
	text, err := textOf(ctx, d.repo, blob)
	if err != nil {
		return nil, err
	}
	v := d.judge.view(path, text)
	d.views[k] = v
	return v, nil
}

func textOf(ctx context.Context, r *repo.Repo, blob repo.ID) ([]byte, error) {
	s, err := r.Snapshot(ctx, "")
	if err != nil {
		return nil, err
	}
	return s.Blob(ctx, blob)
}
