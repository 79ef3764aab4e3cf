import { describe, expect, it } from 'vitest'
import { readTranscript } from '../../../src/index.ts'
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
  // Other programs copy the format, and add types of their own.
  it('has no line of Claude Code that the source does not know', () => {
    const sessions = recordings.filter(
      ({ architecture, expected }) => architecture === 'claude-sdk' && !expected.refused,
    )
    const issues = sessions.flatMap(({ architecture, raw }) => readTranscript(architecture, raw).issues)
    const unknown = issues.filter(({ code }) => code === 'unknown-message' || code === 'unknown-block')
    expect(unknown.map(({ messageType }) => messageType).sort()).toEqual(['future_claude_event', 'tool'])
  })

  it.each(sorted(false))('%s has the outcome that its raw lines prove', (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  })

  it.fails.each(sorted(true))('%s has an open defect', (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  })
})
