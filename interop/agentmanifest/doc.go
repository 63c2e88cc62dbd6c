// Package agentmanifest speaks OpenWOP's agent manifests: it judges them, derives one from a profile, and
// makes a profile of one.
//
// [Check] judges a bare manifest and [CheckPack] a pack.json, offline, under either schema major. [Gate] says
// whether a profile that states a role may be published as what it says it is.
//
// Most callers want Check and Gate. What the package promises: a role is read from where it is stated and
// never inferred (RFC 0131), and a violation of the Skill profile is an error that nothing turns into less.
//
// It is pure. Files of a pack are read through a function of the caller's.
package agentmanifest
