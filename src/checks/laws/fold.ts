import type { SessionEvent } from '../../core/events/event.ts'
import { asObject } from '../../core/json/values.ts'
import { reduceSessionEvent, reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import { PersistentMap } from '../../reading/notes/persistent-map.ts'
import { requireResult } from './law-error.ts'

/**
 * A reducer with its initial state. States and inputs are plain data, like JSON. The checks do not compare the
 * contents of a `Map`, a `Set` or an instance of a class.
 */
export interface Fold<State, Input> {
  readonly initial: State
  readonly reduce: (state: State, input: Input) => State
  /** Whether a repeated input has an effect each time, like appended text. */
  readonly appends?: (input: Input) => boolean
}

/** A reducer that also takes a batch of inputs. */
export interface BatchFold<State, Input> extends Fold<State, Input> {
  readonly reduceAll: (state: State, inputs: readonly Input[]) => State
}

/** The reducer of session events as a fold. */
export const sessionFold: BatchFold<SessionConversationState, SessionEvent> = {
  initial: createInitialConversationState(),
  reduce: reduceSessionEvent,
  reduceAll: reduceSessionEvents,
  appends: (event) => asObject(event).type === 'block:delta',
}

/** One input with the states before and after it. */
export interface FoldStep<State, Input> {
  readonly index: number
  readonly input: Input
  readonly before: State
  readonly after: State
}

/** Folds the inputs one by one. Throws a `LawError` if the fold throws. */
export function stepsOf<State, Input>(
  fold: Fold<State, Input>,
  inputs: Iterable<Input>,
): readonly FoldStep<State, Input>[] {
  const steps: FoldStep<State, Input>[] = []
  let before = fold.initial
  for (const input of inputs) {
    const index = steps.length
    const state = before
    const after = requireResult(() => fold.reduce(state, input), 'throws', index)
    steps.push({ index, input, before, after })
    before = after
  }
  return steps
}

/**
 * Freezes a value at any depth and returns it. It cannot freeze private fields. It skips objects in `frozen` and adds
 * each object that it freezes.
 */
export function deepFreeze<Value>(value: Value, frozen: WeakSet<object> = new WeakSet()): Value {
  const queue: unknown[] = [value]
  while (queue.length > 0) {
    const part = queue.pop()
    if (typeof part !== 'object' || part === null || frozen.has(part)) continue
    // `Object.freeze` throws for a typed array.
    if (ArrayBuffer.isView(part)) continue
    frozen.add(Object.freeze(part))
    for (const inner of partsOf(part)) queue.push(inner)
  }
  return value
}

function partsOf(value: object): Iterable<unknown> {
  if (value instanceof Map) return [...value.keys(), ...value.values()]
  if (value instanceof Set || value instanceof PersistentMap) return value.values()
  return Object.values(value)
}
