// Package draft turns what a session has to say into a delta document.
//
// [Evidence] is plain material: texts that were learned, threads that moved, entries that were used,
// wishes about the contract. [New] holds it against the profile that the session started from and
// gives the value of an AgentStateDelta. The Parse functions read the one-line forms in which people
// and scripts write evidence, such as "text|source|confidence".
//
// Most callers want [ParseEntry] and [New].
//
// The package promises:
//   - what the profile knows already is changed field by field. An entry is never written anew, so
//     that a pin, tags, a scope and the day of learning outlive a session that learns it again;
//   - entries are addressed by identity, never by index, so that the delta can be moved to a later
//     revision;
//   - the same profile, evidence and time give the same delta, and a text gives the same id on every
//     machine, in whatever script it is written ([EntryID]);
//   - the delta passes the schema, or there is an error that names the piece of evidence at fault.
//
// Everything is a pure function of its arguments, which are never changed. The package does not look
// for credentials, does not judge whether the result fits the caps of the profile, and writes nothing.
package draft
