package main

import (
	"bytes"
	"context"
	"regexp"
	"sync"

	"github.com/open-agent-profile/oap/repo"
)

// Where records of sessions lie: one commit with one file for each, on a ref of its own, so that a record is
// found without a walk and goes as one.
const (
	sessionRefs = "refs/oap/sessions/"
	sessionFile = "session.json"
)

// sessionID is an id that can be the end of a ref name; git's other rules are checked by repo.
var sessionID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,118}[A-Za-z0-9])?$`)
})

// recordSession keeps what a session started with. A record is never replaced: it says what ran.
func (a *app) recordSession(ctx context.Context, r *repo.Repo, s session) error {
	if r == nil {
		return &repo.Error{Kind: repo.NotFound, Reason: "not-a-repository", Msg: "not inside a git repository, so there is nowhere to keep the record"}
	}
	fixed, err := a.fixedTime()
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := encodeIndented(&text, s); err != nil {
		return err
	}
	m := repo.Message{
		Subject: "session " + s.ID + " of " + s.Profile,
		Trailers: []repo.Trailer{
			{Key: "OAP-Profile", Value: s.Profile}, {Key: "OAP-Path", Value: s.Path},
			{Key: "OAP-Profile-Digest", Value: s.ProfileDigest.String()}, {Key: "OAP-Spec-Digest", Value: s.SpecDigest.String()},
			{Key: "OAP-Session", Value: s.ID}, {Key: "OAP-Harness", Value: s.Harness},
		},
	}
	ref := sessionRefs + s.ID
	_, err = r.Update(ctx, repo.UpdateRequest{Ref: ref, Log: "oap: session start", Now: fixed},
		func(ctx context.Context, before *repo.Snapshot) (*repo.Plan, error) {
			if before.ID() != "" {
				return nil, &repo.Error{Kind: repo.Refused, Reason: "exists", Path: ref, Msg: "a session of this id is on record already"}
			}
			return &repo.Plan{Commits: []repo.PlannedCommit{{Changes: []repo.Change{{Path: sessionFile, Data: text.Bytes()}}, Message: m}}}, nil
		})
	return err
}

// anyRecord reads the record of a session: a .json file, or the id of one that was kept.
func (a *app) anyRecord(ctx context.Context, spec string) (*record, error) {
	if isRecord(spec) {
		return a.recordFile(spec)
	}
	r, err := a.repo(ctx)
	if err != nil {
		return nil, err
	}
	rec, err := a.kept(ctx, r, spec)
	if err == nil && rec == nil {
		err = &repo.Error{Kind: repo.NotFound, Reason: "session", Path: spec, Msg: "no session of this id is on record"}
	}
	return rec, err
}

// kept reads the record of a session; nil where none was kept.
func (a *app) kept(ctx context.Context, r *repo.Repo, id string) (*record, error) {
	if !sessionID().MatchString(id) {
		return nil, nil
	}
	tip, err := r.RefTip(ctx, sessionRefs+id)
	if err != nil || tip == "" {
		return nil, err
	}
	s, err := r.Snapshot(ctx, tip)
	if err != nil {
		return nil, err
	}
	f, err := s.File(ctx, sessionFile)
	if err != nil {
		return nil, err
	}
	return readRecord(sessionRefs+id+":"+sessionFile, f.Data)
}
