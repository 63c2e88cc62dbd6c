// Package render writes the system prompt of a profile.
//
// [Render] puts the parts in the order of the specification: the harness's preamble, instructions,
// objectives, persona, constraints, examples, state, the harness's postamble (OAP SPEC, prompt; L1-I1).
// [State] writes the block of state alone. A [Prompt] tells what was left out.
//
// Most callers want Render, on the contract that package narrow gives and the state of the document.
// State is attacker's text: it stands under a label that says so, between <oap-state> and </oap-state>, one
// entry a line as a JSON object in which no "<" stands raw and no control or invisible character either.
// So no text in it can end the block, begin a line or pass for another entry, without a random delimiter
// that would make equal profiles give different prompts. Nothing is filled in inside state.
//
// A budget is kept by leaving out whole entries in the order in which retention would evict them; pinned
// ones stay. Bytes are exact. Tokens are an estimate, see [Tokens]. The package reads no file and no clock.
package render
