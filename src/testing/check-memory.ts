import { SnapshotError } from '../json/snapshot-error.ts'
import type { Source } from '../session/source.ts'
import { expectEqual, requireResult } from './law-error.ts'
import { evenSample } from './laws.ts'
import { checkEvents, checkedTranslation, endOf, outputOf, type SourceStep } from './source-fold.ts'
import { malformedVariants, UNKNOWN_MESSAGES } from './unknown-messages.ts'

/** Checks that a batch gives the same as its messages one by one. It cuts the messages into two batches at some places. */
export function checkBatches<Memory>(source: Source<Memory>, steps: readonly SourceStep<Memory>[]): void {
  for (const { index } of evenSample(steps)) {
    let { initial: memory } = source
    for (const part of [steps.slice(0, index), steps.slice(index)]) {
      const messages = part.map(({ input }) => input)
      const before = memory
      const translateAll = () => checkedTranslation(source.translateAll(before, messages.values()))
      const batch = requireResult(translateAll, 'throws', index, { place: 'batch' })
      const outputs = part.map(({ after }) => after)
      const expected = {
        events: outputs.flatMap(({ events }) => events),
        issues: outputs.flatMap(({ issues }) => issues),
      }
      expectEqual(outputOf(batch), expected, 'batch-differs', index)
      memory = batch.memory
    }
    const last = steps.at(-1)?.after.memory ?? source.initial
    expectEqual(endOf(source, memory), endOf(source, last), 'batch-differs', index)
  }
}

/** Checks that a memory goes on as before after a save and a load, at some places one after the other. */
export function checkSave<Memory>(source: Source<Memory>, steps: readonly SourceStep<Memory>[]): void {
  const sample = new Set(evenSample(steps))
  let memory = savedAndLoaded(source, source.initial, -1)
  for (const step of steps) {
    const { index, input, after } = step
    const before = memory
    const translate = () => checkedTranslation(source.translate(before, input))
    const translated = requireResult(translate, 'save-differs', index)
    expectEqual(outputOf(translated), outputOf(after), 'save-differs', index)
    memory = translated.memory
    if (!sample.has(step)) continue
    memory = savedAndLoaded(source, memory, index)
    const loaded = memory
    const end = requireResult(() => endOf(source, loaded), 'save-differs', index)
    expectEqual(end, endOf(source, after.memory), 'save-differs', index)
  }
}

function savedAndLoaded<Memory>(source: Source<Memory>, memory: Memory, index: number): Memory {
  const place = 'save' as const
  const saved = requireResult(() => source.save(memory), 'throws', index, { place })
  const copy: unknown = requireResult(() => JSON.parse(JSON.stringify(saved)), 'not-json', index, { place })
  expectEqual(saved, copy, 'not-json', index, { place })
  return requireResult(() => source.load(copy), 'throws', index, { place })
}

/** Checks that `load` refuses a wrong value with a `SnapshotError`, or returns a memory that can go on. */
export function checkLoad<Memory>(source: Source<Memory>, steps: readonly SourceStep<Memory>[]): void {
  const { index, input, after } = steps.at(-1) ?? {
    index: -1,
    input: undefined,
    after: { memory: source.initial },
  }
  for (const saved of [...UNKNOWN_MESSAGES, ...malformedVariants(source.save(after.memory))]) {
    const facts = { actual: saved, place: 'load' } as const
    const memory = requireResult(() => loadedMemory(source, saved), 'throws', index, facts)
    if (memory === undefined) continue
    const goOn = () => [
      ...checkedTranslation(source.translate(memory, input)).events,
      ...endOf(source, memory).events,
    ]
    checkEvents(requireResult(goOn, 'throws', index, facts), index)
  }
}

/** Returns undefined for a value that the source refuses. */
function loadedMemory<Memory>(source: Source<Memory>, saved: unknown): Memory | undefined {
  try {
    return source.load(saved)
  } catch (error) {
    if (error instanceof SnapshotError) return undefined
    throw error
  }
}
