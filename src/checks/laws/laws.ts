import { isEqual } from '../../core/json/equal.ts'
import { type BatchFold, deepFreeze, type Fold, type FoldStep, stepsOf } from './fold.ts'
import { expectEqual, LawError, requireResult } from './law-error.ts'

/**
 * Checks that a fold is pure: repeated calls, the last one first, give the same results, and the fold accepts frozen
 * arguments. The check clones the inputs and freezes the fold's initial state. Throws a `LawError`, and a `TypeError`
 * for an input that `structuredClone` refuses.
 */
export function expectPure<State, Input>(fold: Fold<State, Input>, inputs: Iterable<Input>): void {
  const all = [...inputs]
  checkPure(fold, all, stepsOf(fold, all.map(cloneInput)), (state) => state)
}

/** Checks that a fold gives the steps of its first run again. It compares only the part of a state that `outputOf` returns. */
export function checkPure<State, Input>(
  fold: Fold<State, Input>,
  inputs: readonly Input[],
  steps: readonly FoldStep<State, Input>[],
  outputOf: (state: State) => unknown,
): void {
  const frozen = new WeakSet()
  let state = deepFreeze(fold.initial, frozen)
  for (const [index, input] of inputs.map(cloneInput).entries()) {
    const [before, copy] = [state, deepFreeze(input, frozen)]
    state = deepFreeze(
      requireResult(() => fold.reduce(before, copy), 'changes-argument', index),
      frozen,
    )
    expectEqual(outputOf(state), outputOf(steps[index]?.after ?? state), 'not-repeatable', index)
  }
  for (const { index, input, before, after } of steps.toReversed())
    expectEqual(
      outputOf(requireResult(() => fold.reduce(before, input), 'not-repeatable', index)),
      outputOf(after),
      'not-repeatable',
      index,
    )
}

/** Returns a copy of the input. Throws a `TypeError` if `structuredClone` refuses it. */
export function cloneInput<Input>(input: Input, index: number): Input {
  try {
    return structuredClone(input)
  } catch (cause) {
    throw new TypeError(`pass plain data as inputs: input ${index} cannot be cloned`, { cause })
  }
}

/** Checks that the fold returns the same reference if an input changes nothing. Throws a `LawError`. */
export function expectStableReferences<State, Input>(
  fold: Fold<State, Input>,
  inputs: Iterable<Input>,
): void {
  for (const { index, before, after } of stepsOf(fold, inputs))
    if (before !== after && isEqual(before, after)) throw new LawError('new-reference', index)
}

/**
 * Checks that a batch gives the same result as the inputs one by one. It cuts the inputs into two batches at every
 * place, or at 64 or fewer places if there are many inputs. Throws a `LawError`.
 */
export function expectSameInBatches<State, Input>(
  fold: BatchFold<State, Input>,
  inputs: Iterable<Input>,
): void {
  const steps = stepsOf(fold, inputs)
  const all = steps.map(({ input }) => input)
  const last = steps.at(-1)?.after
  for (const { index, before } of evenSample(steps)) {
    const foldBatch = (from: State, inputs: readonly Input[]) =>
      requireResult(() => fold.reduceAll(from, inputs), 'batch-differs', index)
    expectEqual(foldBatch(fold.initial, all.slice(0, index)), before, 'batch-differs', index)
    expectEqual(foldBatch(before, all.slice(index)), last, 'batch-differs', index)
  }
}

/** Checks that an input that comes twice in a row has the effect of one, unless it appends. Throws a `LawError`. */
export function expectIdempotent<State, Input>(fold: Fold<State, Input>, inputs: Iterable<Input>): void {
  for (const { index, input, after } of stepsOf(fold, inputs))
    if (!fold.appends?.(input)) {
      const again = requireResult(() => fold.reduce(after, input), 'not-idempotent', index)
      expectEqual(again, after, 'not-idempotent', index)
    }
}

/** The most samples of a long log. A check of one sample may walk through the whole log. */
const MAX_SAMPLES = 64

/** Returns all items, or an even sample with the last one if there are many. */
export function evenSample<Item>(items: readonly Item[], most: number = MAX_SAMPLES): readonly Item[] {
  const every = Math.ceil(items.length / most)
  return items.filter((_, at) => at % every === 0 || at === items.length - 1)
}
