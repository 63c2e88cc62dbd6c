// Package agentcard makes A2A 1.0 Agent Cards of personas, so that what is advertised is what is granted.
//
// A persona is a profile that extends exactly one base and sets nothing but its own role and its own list of
// tools, a subset of the base's. A [SkillMap] says which tools make which skill; a [Publish] file says which
// personas are public, and what a profile cannot say about itself. [Check] judges a persona, [Derive] gives
// its skills, and [Build] the card in the bytes that are served: RFC 8785, so that the same documents give the
// same bytes and the same ETag.
//
// A skill is advertised if and only if every tool that it requires is granted. Nothing of instructions,
// constraints, permissions, tool names, state, revision or history reaches a card. The package is pure; it
// neither reads files nor serves.
package agentcard
