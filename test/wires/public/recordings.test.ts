import { expect, it } from 'vitest'
import { readTranscript } from '../../../src/index.ts'
import { isSourceIssue } from '../recordings.ts'
import { expectedOutcome, outcomeOf, publicRecordings } from './recording.ts'

const recordings = [...publicRecordings('claude-code'), ...publicRecordings('opencode')]

it.each(recordings.map((recording) => [recording.name, recording] as const))(
  'the public recording %s has the outcome that its raw lines prove',
  (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  },
)

// Other programs copy the format, and add types of their own.
it('the public recordings have no line of Claude Code that the source does not know', () => {
  const sessions = recordings.filter(
    ({ architecture, expected }) => architecture === 'claude-sdk' && !expected.refused,
  )
  const issues = sessions.flatMap(({ architecture, raw }) =>
    readTranscript(architecture, raw).issues.filter(isSourceIssue),
  )
  const unknown = issues.filter(({ code }) => code === 'unknown-message' || code === 'unknown-block')
  expect(unknown.map(({ messageType }) => messageType).sort()).toEqual(['future_claude_event', 'tool'])
})
