import { SnapshotError } from '../../core/json/check-shape.ts'
import { checksumOf } from '../../core/json/checksum.ts'
import { copyJson, isTooDeep } from '../../core/json/depth.ts'
import { isObject } from '../../core/json/values.ts'
import { loadSession, saveSession } from '../../reading/save-session.ts'
import type { Session, Source } from '../../reading/source.ts'
import { expectEqual, requireResult } from './law-error.ts'
import { evenSample } from './laws.ts'
import {
  checkEvents,
  checkedReading,
  endOf,
  malformedVariants,
  outputOf,
  type SourceCheck,
  type SourceStep,
  UNKNOWN_MESSAGES,
} from './source-fold.ts'

/** Checks that a batch gives the same as its messages one by one. It cuts the messages into two batches at some places. */
export function checkBatches({ source, steps, samples, faults }: SourceCheck): void {
  for (const { index } of evenSample(steps, samples))
    faults.attempt(() => checkTwoBatches(source, steps, index))
}

function checkTwoBatches(source: Source, steps: readonly SourceStep[], index: number): void {
  const last = steps.at(-1)?.after.session ?? source.open()
  let session = source.open()
  for (const part of [steps.slice(0, index), steps.slice(index)]) {
    const messages = part.map(({ input }) => input)
    const before = session
    const read = () => checkedReading(source.read(before, messages.values()))
    const batch = requireResult(read, 'throws', index, { place: 'batch' })
    const outputs = part.map(({ after }) => after)
    const expected = {
      state: outputs.at(-1)?.session.state ?? before.state,
      events: outputs.flatMap(({ events }) => events),
      // An issue has the number of its message in the batch.
      issues: outputs.flatMap(({ issues }, at) => issues.map((issue) => ({ ...issue, index: at }))),
    }
    expectEqual(outputOf(batch), expected, 'batch-differs', index)
    session = batch.session
  }
  const end = (of: Session) =>
    requireResult(() => outputOf(endOf(source, of)), 'throws', index, { place: 'end' })
  expectEqual(end(session), end(last), 'batch-differs', index)
}

/** Checks that a session goes on as before after a save and a load, at some places one after the other. */
export function checkSave(check: SourceCheck): void {
  check.faults.attempt(() => checkSavedSteps(check))
}

function checkSavedSteps({ source, steps, samples }: SourceCheck): void {
  const sample = new Set(evenSample(steps, samples))
  let session = savedAndLoaded(source, source.open(), -1)
  for (const step of steps) {
    const { index, input, after } = step
    const before = session
    const read = () => checkedReading(source.read(before, [input]))
    const reading = requireResult(read, 'save-differs', index)
    expectEqual(outputOf(reading), outputOf(after), 'save-differs', index)
    session = reading.session
    if (!sample.has(step)) continue
    session = savedAndLoaded(source, session, index)
    const end = (of: Session) => requireResult(() => outputOf(endOf(source, of)), 'save-differs', index)
    expectEqual(end(session), end(after.session), 'save-differs', index)
  }
}

function savedAndLoaded(source: Source, session: Session, index: number): Session {
  const place = 'save' as const
  const saved = requireResult(() => saveSession(session), 'throws', index, { place })
  const copy: unknown = requireResult(() => JSON.parse(JSON.stringify(saved)), 'not-json', index, { place })
  expectEqual(saved, copy, 'not-json', index, { place })
  const loaded = requireResult(() => loadSession(source, copy), 'throws', index, { place })
  expectEqual(loaded.state, session.state, 'save-differs', index, { place })
  return loaded
}

/** The wrong saved values that a check with few samples takes for each of them. */
const VARIANTS_PER_SAMPLE = 4

/** Checks that a saved session with a wrong value is refused with a `SnapshotError`, or can go on. */
export function checkLoad({ source, steps, samples, faults }: SourceCheck): void {
  const { index, input, after } = steps.at(-1) ?? {
    index: -1,
    input: undefined,
    after: { session: source.open() },
  }
  const saved = faults.attempt(() =>
    requireResult(() => saveSession(after.session), 'throws', index, { place: 'save' }),
  )
  if (saved === undefined) return
  const all = malformedVariants(saved)
  // Each variant costs as much as the whole session.
  const variants = samples === undefined ? all : evenSample(all, samples * VARIANTS_PER_SAMPLE)
  for (const variant of [...UNKNOWN_MESSAGES, ...variants, ...variants.map(withChecksum)])
    faults.attempt(() => checkLoaded(source, variant, { index, input }))
}

function checkLoaded(
  source: Source,
  saved: unknown,
  { index, input }: Pick<SourceStep, 'index' | 'input'>,
): void {
  const facts = { actual: saved, place: 'load' } as const
  const session = requireResult(() => loaded(source, saved), 'throws', index, facts)
  if (session === undefined) return
  const goOn = () => [
    ...checkedReading(source.read(session, [input])).events,
    ...endOf(source, session).events,
  ]
  checkEvents(requireResult(goOn, 'throws', index, facts), index)
}

/** Returns the saved session with a right checksum. A wrong one alone would refuse every other wrong value. */
function withChecksum(saved: unknown): unknown {
  if (!isObject(saved) || isTooDeep(saved)) return saved
  const content = { state: copyJson(saved.state), notes: copyJson(saved.notes) }
  return { ...saved, checksum: checksumOf(content) }
}

/** Returns undefined for a value that is refused. */
function loaded(source: Source, saved: unknown): Session | undefined {
  try {
    return loadSession(source, saved)
  } catch (error) {
    if (error instanceof SnapshotError) return undefined
    throw error
  }
}
