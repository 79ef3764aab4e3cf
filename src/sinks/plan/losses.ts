/**
 * A kind of content that a written session lacks, although the state has it:
 * - `thinking`: the model's thinking, which a provider takes only with its own signature
 * - `program-note`: messages and skills that the program wrote in the person's place
 * - `system-note`: hooks, retries and other reports of the program
 * - `dropped-text`: a text that its own model no longer reads, since the program has taken it back
 * - `turn-failure`: the error that ended a turn
 * - `request`: questions to the person, and their answers
 * - `abandoned-branch`: the blocks that the person left by a rewind
 * - `subagent-conversation`: an agent's own conversation; its call and its report are there
 * - `running-call`: the result of a call that still ran; a text says so in its place
 * - `attachment`: an image or a file that the program cannot take; its name is there
 * - `failure-mark`: that a result is an error; its text is there
 * - `file-changes`: the diffs that a result states
 * - `plan`: the list of todos
 * - `result-without-call`: a result whose call is not in the conversation
 * - `usage`: the tokens of a message, which the other provider did not count
 */
export type LossKind =
  | 'thinking'
  | 'program-note'
  | 'system-note'
  | 'dropped-text'
  | 'turn-failure'
  | 'request'
  | 'abandoned-branch'
  | 'subagent-conversation'
  | 'running-call'
  | 'attachment'
  | 'failure-mark'
  | 'file-changes'
  | 'plan'
  | 'result-without-call'
  | 'usage'

/** The content of one kind that a written session lacks. */
export interface Loss {
  readonly kind: LossKind
  readonly count: number
  /** The conversations, each once: `'main'` or an agent's `toolUseId`. */
  readonly places: readonly string[]
}

/** Counts losses while a session is written. */
export class LossCounter {
  readonly #losses = new Map<LossKind, { count: number; readonly places: Set<string> }>()

  add(kind: LossKind, place: string, count = 1): void {
    if (count === 0) return
    const loss = this.#losses.get(kind) ?? { count: 0, places: new Set<string>() }
    loss.count += count
    loss.places.add(place)
    this.#losses.set(kind, loss)
  }

  /** Returns the losses in the order of their first place. */
  list(): readonly Loss[] {
    return [...this.#losses].map(([kind, { count, places }]) => ({ kind, count, places: [...places] }))
  }
}
