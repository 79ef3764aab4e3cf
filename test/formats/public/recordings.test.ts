import { describe, expect, it } from 'vitest'
import { expectedOutcome, outcomeOf, publicRecordings } from './recording.ts'

const recordings = [...publicRecordings('claude-code'), ...publicRecordings('opencode')]

/** Recordings that come out wrong. Each fails loudly when it comes out right, and then leaves this list. */
const OPEN_DEFECTS: ReadonlySet<string> = new Set([
  '01-background-transcript-line',
  '02-background-transcript-line',
  '03-background-task-output',
  '04-background-stopped',
  '05-background-stopped',
  '17-teammates',
  '18-agents-elsewhere',
])

const sorted = (isOpen: boolean) =>
  recordings
    .filter(({ name }) => OPEN_DEFECTS.has(name) === isOpen)
    .map((recording) => [recording.name, recording] as const)

describe('a public recording', () => {
  it.each(sorted(false))('%s has the outcome that its raw lines prove', (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  })

  it.fails.each(sorted(true))('%s has an open defect', (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  })
})
