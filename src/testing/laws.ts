import { isEqual } from '../json/equal.ts'
import { type BatchFold, type Fold, type FoldStep, stepsOf } from './fold.ts'
import { deepFreeze } from './freeze.ts'
import { answerOf, expectEqual, LawError } from './law-error.ts'

/**
 * Checks that a fold is pure: asked again, the latest first, it answers what it answered, and it takes frozen arguments. The inputs
 * are cloned for that, what the fold begins with is frozen itself. Throws a `LawError`, and a `TypeError` for an input that
 * `structuredClone` does not take.
 */
export function expectPure<State, Input>(fold: Fold<State, Input>, inputs: Iterable<Input>): void {
  checkPure(fold, inputs, (state) => state)
}

/** Like `expectPure`; `seen` gives what has to be the same of two states. Returns the steps of the first run. */
export function checkPure<State, Input>(
  fold: Fold<State, Input>,
  inputs: Iterable<Input>,
  seen: (state: State) => unknown,
): readonly FoldStep<State, Input>[] {
  const all = [...inputs]
  const steps = stepsOf(fold, all.map(cloneOf))
  const frozen = new WeakSet()
  let state = deepFreeze(fold.initial, frozen)
  for (const [index, input] of all.map(cloneOf).entries()) {
    const [before, copy] = [state, deepFreeze(input, frozen)]
    state = deepFreeze(
      answerOf(() => fold.reduce(before, copy), 'changes-argument', index),
      frozen,
    )
    expectEqual(seen(state), seen(steps[index]?.after ?? state), 'not-repeatable', index)
  }
  for (const { index, input, before, after } of steps.toReversed())
    expectEqual(
      seen(answerOf(() => fold.reduce(before, input), 'not-repeatable', index)),
      seen(after),
      'not-repeatable',
      index,
    )
  return steps
}

/** A copy that nobody else has. Throws a `TypeError` for an input that `structuredClone` does not take. */
export function cloneOf<Input>(input: Input, index: number): Input {
  try {
    return structuredClone(input)
  } catch (cause) {
    throw new TypeError(`pass inputs that are plain data, which input ${index} is not`, { cause })
  }
}

/** Checks that an input that changes nothing gives the same reference. Throws a `LawError`. */
export function expectStableReferences<State, Input>(
  fold: Fold<State, Input>,
  inputs: Iterable<Input>,
): void {
  for (const { index, before, after } of stepsOf(fold, inputs))
    if (before !== after && isEqual(before, after)) throw new LawError('new-reference', index)
}

/**
 * Checks that a batch leads where one by one leads, wherever the log is cut in two (a long one at 64 places). Throws a `LawError`.
 */
export function expectSameInBatches<State, Input>(
  fold: BatchFold<State, Input>,
  inputs: Iterable<Input>,
): void {
  const steps = stepsOf(fold, inputs)
  const all = steps.map(({ input }) => input)
  const last = steps.at(-1)?.after
  for (const { index, before } of spread(steps)) {
    const led = (from: State, inputs: readonly Input[]) =>
      answerOf(() => fold.reduceAll(from, inputs), 'batch-differs', index)
    expectEqual(led(fold.initial, all.slice(0, index)), before, 'batch-differs', index)
    expectEqual(led(before, all.slice(index)), last, 'batch-differs', index)
  }
}

/** Checks that an input that comes twice in a row does as much as once, unless it appends. Throws a `LawError`. */
export function expectIdempotent<State, Input>(fold: Fold<State, Input>, inputs: Iterable<Input>): void {
  for (const { index, input, after } of stepsOf(fold, inputs))
    if (!fold.appends?.(input)) {
      const again = answerOf(() => fold.reduce(after, input), 'not-idempotent', index)
      expectEqual(again, after, 'not-idempotent', index)
    }
}

/** How many of a long log's places are tried where each costs a walk through all of it. */
const PLACES = 64

/** Some of the items, evenly spread, where there are many; the last is one of them. */
export function spread<Item>(items: readonly Item[]): readonly Item[] {
  const every = Math.ceil(items.length / PLACES)
  return items.filter((_, at) => at % every === 0 || at === items.length - 1)
}
