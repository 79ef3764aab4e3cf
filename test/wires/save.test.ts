import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { SourceEnd, Translated } from '../../src/index.ts'
import { inputs, type RecordedInput } from './inputs.ts'
import { outputOf, stored } from './saved.ts'

/** The number of places in a recording at which its memory is saved. `save.slow.test.ts` saves it at every place. */
const SAMPLES = 5

type Input = Pick<RecordedInput, 'source' | 'messages'>

/** A memory that was saved before a message. */
interface Sample {
  readonly index: number
  readonly saved: unknown
  readonly end: SourceEnd
  /** The last messages before the place. After a reconnect they arrive again. */
  readonly repeated: readonly unknown[]
  readonly outputOfRepeated: unknown
}

describe.each(inputs)('$name', (input) => {
  it('goes on from a saved and loaded memory as from the memory itself, in a batch as one by one', () => {
    const { source, messages } = input
    const { samples, translated } = run(input)
    const last = translated.at(-1)?.memory ?? source.initial
    for (const { index, saved, end, repeated, outputOfRepeated } of samples) {
      expectEqual(stored(saved), saved)
      const loaded = source.load(stored(saved))
      expectEqual(source.end(loaded), end)
      expectEqual(outputOf(source.translateAll(loaded, repeated)), outputOfRepeated)
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
function run({ source, messages }: Input): {
  readonly samples: readonly Sample[]
  readonly translated: readonly Translated<unknown>[]
} {
  const every = Math.ceil(messages.length / SAMPLES)
  const samples: Sample[] = []
  const translated: Translated<unknown>[] = []
  let memory = source.initial
  for (const [index, message] of messages.entries()) {
    if (index % every === 0) samples.push(sampleOf({ source, messages }, index, memory))
    translated.push(source.translate(memory, message))
    memory = translated.at(-1)?.memory
  }
  return { samples, translated }
}

function sampleOf({ source, messages }: Input, index: number, memory: unknown): Sample {
  const repeated = messages.slice(Math.max(0, index - 8), index)
  const outputOfRepeated = outputOf(source.translateAll(memory, repeated))
  return { index, saved: source.save(memory), end: source.end(memory), repeated, outputOfRepeated }
}

/** Compares large values. Only a difference needs the slow matcher. */
function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toStrictEqual(expected)
}
