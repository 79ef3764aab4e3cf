import { describe, expect, it } from 'vitest'
import { expectedOutcome, outcomeOf, publicRecordings } from './recording.ts'

const recordings = [...publicRecordings('claude-code'), ...publicRecordings('opencode')]

/** Recordings that come out wrong. Each fails loudly when it comes out right, and then leaves this list. */
const OPEN_DEFECTS: ReadonlySet<string> = new Set([
  '04-background-stopped',
  '06-queued-prompt',
  '07-queued-prompt',
  '08-session-id-twice',
  '09-session-id-twice',
  '11-structured-output',
  '12-structured-output',
  '14-two-on-a-line',
  '16-sdk-array',
  '17-teammates',
  '01-qwen-code',
  '02-qwen-code',
  '01-idle-session-updated',
  '02-equal-part-ids',
  '03-equal-part-ids',
  '04-message-list',
  '05-message-list',
  '07-opencode-bus',
  '11-opencode-export',
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
