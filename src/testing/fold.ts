import type { SessionEvent } from '../events/event.ts'
import { asObject } from '../json/values.ts'
import { reduceSessionEvent, reduceSessionEvents } from '../reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../state/session.ts'
import { answerOf } from './law-error.ts'

/**
 * A reducer with the state that it begins with. States and inputs are plain data, as JSON has it: what a `Map`, a `Set` or an object
 * with a class holds is not compared.
 */
export interface Fold<State, Input> {
  readonly initial: State
  readonly reduce: (state: State, input: Input) => State
  /** Whether an input does more each time that it comes, as text that is appended. */
  readonly appends?: (input: Input) => boolean
}

/** A reducer that takes many inputs at once too. */
export interface BatchFold<State, Input> extends Fold<State, Input> {
  readonly reduceAll: (state: State, inputs: readonly Input[]) => State
}

/** The reducer of sessions. */
export const sessionFold: BatchFold<SessionConversationState, SessionEvent> = {
  initial: createInitialConversationState(),
  reduce: reduceSessionEvent,
  reduceAll: reduceSessionEvents,
  appends: (event) => asObject(event).type === 'block:delta',
}

/** What one input did. */
export interface FoldStep<State, Input> {
  readonly index: number
  readonly input: Input
  readonly before: State
  readonly after: State
}

/** Folds the inputs one by one. Throws a `LawError` where the fold throws. */
export function stepsOf<State, Input>(
  fold: Fold<State, Input>,
  inputs: Iterable<Input>,
): readonly FoldStep<State, Input>[] {
  const steps: FoldStep<State, Input>[] = []
  let before = fold.initial
  for (const input of inputs) {
    const index = steps.length
    const state = before
    const after = answerOf(() => fold.reduce(state, input), 'throws', index)
    steps.push({ index, input, before, after })
    before = after
  }
  return steps
}
