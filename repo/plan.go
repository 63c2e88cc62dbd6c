package repo

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/open-agent-profile/oap/internal/term"
)

// Change is one file in a planned commit.
type Change struct {
	Path   string
	Data   []byte
	Mode   uint32 // ModeFile or ModeExecutable; 0 keeps the mode, and is ModeFile for a new file
	Delete bool
}

// PlannedCommit is a commit to be made. Its tree is that of its first parent with the changes.
type PlannedCommit struct {
	Changes      []Change
	Message      Message
	FirstParent  ID   // "" is the planned commit before, or the tip of the branch
	ExtraParents []ID // the other sides of a merge
	AllowEmpty   bool // commit although the tree is that of the first parent and nothing is merged
}

// RefUpdate moves a ref from exactly Old to New, together with the branch. Old "" creates, New "" deletes.
type RefUpdate struct {
	Name     string
	Old, New ID
}

// Plan is what an [Repo.Update] does on top of a snapshot.
type Plan struct {
	Commits []PlannedCommit
	Refs    []RefUpdate
}

// NewCommit stands for the i-th commit of the plan in RefUpdate.New and in ExtraParents. A commit that
// was left out because it changes nothing stands for the one before.
func NewCommit(i int) ID { return ID("@" + strconv.Itoa(i)) }

// UpdateRequest says which branch is updated and how.
type UpdateRequest struct {
	Ref     string    // full name
	Base    ID        // where Ref starts if it does not exist; "" is an empty branch
	Log     string    // reflog message; "" is "oap"
	Sign    bool      // sign although commit.gpgsign does not ask for it
	NoSign  bool      // do not sign although it does
	Hooks   bool      // run pre-commit and commit-msg
	Signoff bool      // add Signed-off-by, as format.signOff also does
	Now     time.Time // of author and committer; zero is git's own time (GIT_*_DATE, or the clock)
	Retries int       // how often a lost race is tried again; 0 is 20
}

// Updated says what an Update did.
type Updated struct {
	Before, After ID       // of the branch
	Commits       []ID     // one for each planned commit; "" if left out because it changes nothing
	Notes         []string // what a person may want to know, one sentence each
}

func (q *UpdateRequest) check() error {
	if err := CheckRef(q.Ref); err != nil {
		return err
	}
	if q.Base != "" && !q.Base.valid() {
		return invalid("bad-id", term.Escape(string(q.Base)), "not an object name")
	}
	if q.Log = safeLine(q.Log); q.Log == "" {
		q.Log = "oap"
	}
	if q.Retries <= 0 {
		q.Retries = 20
	}
	return nil
}

// made resolves [NewCommit] against the commits that were made; other ids pass.
func made(id ID, ids []ID) (ID, error) {
	n, ok := strings.CutPrefix(string(id), "@")
	if !ok {
		if !id.valid() {
			return "", invalid("bad-id", term.Escape(string(id)), "not an object name")
		}
		return id, nil
	}
	i, err := strconv.Atoi(n)
	if err != nil || i < 0 || i >= len(ids) {
		return "", invalid("bad-id", term.Escape(string(id)), "names no commit of the plan")
	}
	return ids[i], nil
}

func (p *Plan) empty() bool { return p == nil || len(p.Commits) == 0 && len(p.Refs) == 0 }

// resolveRefs checks the extra refs of a plan and fills in new commits.
func resolveRefs(p *Plan, branch string, ids []ID) ([]RefUpdate, error) {
	out := make([]RefUpdate, 0, len(p.Refs)+1)
	seen := map[string]bool{branch: true}
	for _, u := range p.Refs {
		if err := CheckRef(u.Name); err != nil {
			return nil, err
		}
		if seen[u.Name] {
			return nil, invalid("bad-plan", u.Name, "the plan moves the ref twice")
		}
		seen[u.Name] = true
		if u.New != "" {
			id, err := made(u.New, ids)
			if err != nil {
				return nil, err
			}
			u.New = id
		}
		if u.Old == u.New {
			continue
		}
		if u.Old != "" && !u.Old.valid() {
			return nil, invalid("bad-id", term.Escape(string(u.Old)), "not an object name")
		}
		out = append(out, u)
	}
	return out, nil
}

func (u RefUpdate) command() string {
	switch {
	case u.Old == "":
		return fmt.Sprintf("create %s %s\n", u.Name, u.New)
	case u.New == "":
		return fmt.Sprintf("delete %s %s\n", u.Name, u.Old)
	}
	return fmt.Sprintf("update %s %s %s\n", u.Name, u.New, u.Old)
}
