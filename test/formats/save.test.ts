import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { SourceEnd, Translated } from '../../src/index.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { outputOf, stored } from './saved.ts'

/** The number of places in a recording at which its memory is saved. `save.slow.test.ts` saves it at every place. */
const SAMPLES = 5

/** A memory that was saved before a message. */
interface Sample {
  readonly index: number
  readonly saved: unknown
  readonly end: SourceEnd
}

describe.each(inputs)('$name', (input) => {
  it('goes on from a saved and loaded memory as from the memory itself, in a batch as one by one', () => {
    const { source, messages } = input
    const { samples, translated } = run(input)
    const last = translated.at(-1)?.memory ?? source.initial
    for (const { index, saved, end } of samples) {
      expectEqual(stored(saved), saved)
      const loaded = source.load(stored(saved))
      expectEqual(source.end(loaded), end)
      const rest = source.translateAll(loaded, messages.slice(index).values())
      const expected = translated.slice(index)
      expectEqual(outputOf(rest), {
        events: expected.flatMap(({ events }) => events),
        issues: expected.flatMap(({ issues }) => issues),
      })
      expectEqual(source.save(rest.memory), source.save(last))
    }
  })
})

/** Translates the messages one by one, and saves some of the memories. */
function run({ source, messages }: RecordedInput): {
  readonly samples: readonly Sample[]
  readonly translated: readonly Translated<unknown>[]
} {
  const every = Math.ceil(messages.length / SAMPLES)
  const samples: Sample[] = []
  const translated: Translated<unknown>[] = []
  let memory = source.initial
  for (const [index, message] of messages.entries()) {
    if (index % every === 0) samples.push({ index, saved: source.save(memory), end: source.end(memory) })
    translated.push(source.translate(memory, message))
    memory = translated.at(-1)?.memory
  }
  return { samples, translated }
}

/** Compares large values. Only a difference needs the slow matcher. */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected)
}
