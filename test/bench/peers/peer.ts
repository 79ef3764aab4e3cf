import { deepEqual } from 'node:assert/strict'
import { expected, type Workload } from './workload.ts'

/** A way to fold a stream, and what its time includes. */
export interface Peer {
  readonly name: string
  readonly note: string
  readonly candidate: (workload: Workload) => Candidate
}

/** One way with one workload, translated into its format beforehand. */
export interface Candidate {
  /** Folds the whole stream, and is done when the last state is there. */
  readonly run: () => unknown
  /** Throws where the result of a run is wrong: its time would say nothing. */
  readonly verify: () => Promise<void>
}

/** A candidate whose last state has to hold every text and call of the workload. */
export function folding<State>(
  workload: Workload,
  run: () => State | Promise<State>,
  said: (state: State) => readonly string[],
): Candidate {
  return { run, verify: async () => deepEqual(said(await run()), expected(workload)) }
}

/** Returns the last value, after all have been awaited. */
export async function lastOf<Value>(values: AsyncIterable<Value>): Promise<Value> {
  let last: Value | undefined
  for await (const value of values) last = value
  if (last === undefined) throw new RangeError('the stream was empty: there is no last value')
  return last
}

/** Returns a stream that hands out one value at each pull. */
export function streamOf<Value>(values: readonly Value[]): ReadableStream<Value> {
  const iterator = values.values()
  return new ReadableStream<Value>({
    pull(controller) {
      const next = iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}
