import type { SessionEvent } from '../../core/events/event.ts'
import { copyJson } from '../../core/json/depth.ts'
import { isEqual } from '../../core/json/equal.ts'
import { reduceSessionEvents } from '../../core/reducer/reduce.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import type { Sink, SinkStep } from '../../core/state/sink.ts'
import { deepFreeze } from './fold.ts'
import { expectEqual, LawError, requireResult } from './law-error.ts'

/** The two sides that `checkSink` compares, and the number of checks. */
export interface CheckSinkOptions<Out, Result> {
  /** Reads output with the tool's own reader. Another function must not do the reader's work. */
  readonly read: (out: readonly Out[]) => Result | PromiseLike<Result>
  /** Returns the result for a whole state. */
  readonly expected: (state: SessionConversationState) => Result | PromiseLike<Result>
  /** Whether both results are the same. Without it, they are equal by content, and a field with `undefined` counts as absent. */
  readonly isSame?: (actual: Result, expected: Result) => boolean
  /** The places within the session where the output is read: an even sample of so many. The default is 4. The end is always read. */
  readonly places?: number
}

/**
 * Checks the laws of a sink over the events of a session.
 * - It is pure: it takes frozen arguments, and the same arguments give the same output.
 * - The same state again gives no output.
 * - `end` works after any state, and does not change the output for later states.
 * - At any moment, the output until then and the output of `end` lead the tool's own reader to the result for the
 *   whole state.
 * - That holds for every way to cut the session into batches: each event alone, all at once, and batches of many
 *   sizes.
 *
 * Throws a `LawError` with the index of the last event before the error, or -1.
 */
export async function checkSink<Memory, Out, Result>(
  sink: Sink<Memory, Out>,
  events: Iterable<SessionEvent>,
  options: CheckSinkOptions<Out, Result>,
): Promise<void> {
  const all = [...events]
  for (const cuts of waysToCut(all.length)) await new SinkRun(sink, all, options).check(cuts)
}

/** One way to cut a session into batches. */
class SinkRun<Memory, Out, Result> {
  readonly #sink: Sink<Memory, Out>
  readonly #events: readonly SessionEvent[]
  readonly #options: CheckSinkOptions<Out, Result>
  readonly #frozen = new WeakSet()

  constructor(
    sink: Sink<Memory, Out>,
    events: readonly SessionEvent[],
    options: CheckSinkOptions<Out, Result>,
  ) {
    this.#sink = sink
    this.#events = events
    this.#options = options
  }

  async check(cuts: readonly Cut[]): Promise<void> {
    const { places = 4 } = this.#options
    const every = Math.ceil(cuts.length / places)
    let state = createInitialConversationState()
    let memory = deepFreeze(this.#sink.initial, this.#frozen)
    const out: Out[] = []
    for (const [at, { from, to }] of cuts.entries()) {
      const index = to - 1
      state = deepFreeze(reduceSessionEvents(state, this.#events.slice(from, to)), this.#frozen)
      const isRead = at % every === 0 || at === cuts.length - 1
      const step = isRead ? this.#checkedStep(memory, state, index) : this.#step(memory, state, index)
      for (const each of step.out) out.push(each)
      memory = step.memory
      if (isRead) await this.#checkReader(out, { memory, state, index })
    }
  }

  #step(memory: Memory, state: SessionConversationState, index: number): SinkStep<Memory, Out> {
    return deepFreeze(
      requireResult(() => this.#sink.translate(memory, state), 'throws', index),
      this.#frozen,
    )
  }

  /** Calls the sink twice, and once more with the state that it knows by then. */
  #checkedStep(memory: Memory, state: SessionConversationState, index: number): SinkStep<Memory, Out> {
    const step = this.#step(memory, state, index)
    expectEqual(this.#step(memory, state, index).out, step.out, 'not-repeatable', index)
    expectEqual(this.#step(step.memory, state, index).out, [], 'repeats', index)
    return step
  }

  async #checkReader(
    out: readonly Out[],
    {
      memory,
      state,
      index,
    }: { readonly memory: Memory; readonly state: SessionConversationState; readonly index: number },
  ): Promise<void> {
    const { expected, isSame = isSameContent } = this.#options
    const end = () =>
      requireResult(() => this.#sink.end(memory, state), 'throws', index, { place: 'end' }).out
    const last = deepFreeze(end(), this.#frozen)
    expectEqual(end(), last, 'not-repeatable', index, { place: 'end' })
    const whole = await expected(state)
    const result = await this.#read([...out, ...last], index)
    if (!isSame(result, whole))
      throw new LawError('reader-differs', index, { actual: result, expected: whole })
  }

  async #read(out: readonly Out[], index: number): Promise<Result> {
    try {
      return await this.#options.read(out)
    } catch (cause) {
      throw new LawError('reader-throws', index, { cause, actual: out.at(-1) })
    }
  }
}

function isSameContent(actual: unknown, expected: unknown): boolean {
  return isEqual(copyJson(actual), copyJson(expected))
}

/** A batch of a log: the indexes of its first event and of the event after its last. */
interface Cut {
  readonly from: number
  readonly to: number
}

/** The greatest numbers of events in a batch. The batches of one way have 1 to so many events, in a fixed order that looks random. */
const SIZES = [2, 7, 40]

/**
 * Returns ways to cut a log into batches: each event alone, all at once, and batches of many sizes. Each way begins
 * with an empty batch.
 */
function waysToCut(length: number): readonly (readonly Cut[])[] {
  return [
    cutsOf(length, () => 1),
    cutsOf(length, () => length),
    ...SIZES.map((size) => cutsOf(length, (from) => 1 + ((from * 7919 + size * 104729) % size))),
  ]
}

function cutsOf(length: number, sizeAt: (from: number) => number): readonly Cut[] {
  const cuts: Cut[] = [{ from: 0, to: 0 }]
  for (let from = 0; from < length; ) {
    const to = Math.min(from + sizeAt(from), length)
    cuts.push({ from, to })
    from = to
  }
  return cuts
}
