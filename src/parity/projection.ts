import type { Side } from './difference.ts'

/**
 * What may be on one side alone, because the other does not carry it. Of blocks:
 * - `unfinished`: still pending when the input ended
 * - `prompt`: what the person wrote, where the stream does not repeat it
 * - `program-note`: what the program told the model in the person's place
 * - `system-note`: what the program noted (hooks, retries, permissions …), save interruptions, compactions and reverts
 * - `turn-failure`: the stream's last word on a turn that failed
 * - `thinking`: of main, where the stream has none
 * - `subagent-prompt`, `subagent-text`, `subagent-conversation`: of subagents that are not, or not wholly, forwarded
 * - `fork-context`: the copy of the parent's message that a forked subagent's file begins with
 * - `killed-subagent`: one of which nothing was stored when the program was killed
 *
 * Of what both have:
 * - `tool-use-place`: a call's id, where the text before it is not forwarded; its place among the calls of its message, where
 *   they are told when they have finished
 * - `tool-result-place`: where a result stands among the other blocks
 * - `unknown-fact`: a time, a model, a run or a fact of the session that one side does not know
 * - `provisional-usage`: tokens that one side knows as an early snapshot only
 * - `unseen-usage`: tokens of a message that one side has nothing of
 */
export type ProjectionKind =
  | 'unfinished'
  | 'prompt'
  | 'program-note'
  | 'system-note'
  | 'turn-failure'
  | 'thinking'
  | 'subagent-prompt'
  | 'subagent-text'
  | 'subagent-conversation'
  | 'fork-context'
  | 'killed-subagent'
  | 'tool-use-place'
  | 'tool-result-place'
  | 'unknown-fact'
  | 'provisional-usage'
  | 'unseen-usage'

/** How much of a kind was left out of the comparison, and on which side it was. */
export interface Projected {
  readonly kind: ProjectionKind
  readonly side: Side
  readonly count: number
}
