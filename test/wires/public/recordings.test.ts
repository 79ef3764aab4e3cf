import { expect, it } from 'vitest'
import { parseTranscript, readTranscript } from '../../../src/entries/index.ts'
import { isSourceIssue } from '../recordings.ts'
import { expectedOutcome, outcomeOf, publicRecordings } from './recording.ts'

const recordings = [...publicRecordings('claude-code'), ...publicRecordings('opencode')]

it.each(recordings.map((recording) => [recording.name, recording] as const))(
  'the public recording %s has the outcome that its raw lines prove',
  (_, recording) => {
    expect(outcomeOf(recording)).toEqual(expectedOutcome(recording))
  },
)

it.each([
  ['01-qwen-code', ['user_message', 'thinking', 'tool_use', 'tool_result', 'assistant_text', 'user_message']],
  ['02-qwen-code', ['user_message', 'tool_use', 'tool_result', 'assistant_text']],
])(
  'the public recording %s, which Claude Code did not write, is read as that of its program',
  (name, types) => {
    const { raw } = recordings.find((each) => each.name === name) ?? {}
    const { session, blocks } = parseTranscript(raw ?? '')
    expect(session.program).toBe('qwen')
    expect(blocks.map(({ type }) => type)).toEqual(types)
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
