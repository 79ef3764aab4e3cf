import { expect, it } from 'vitest'
import { sessionLines } from '../../../src/cli/show/print-session.ts'
import { errorText, failureReason } from '../../../src/core/selectors/failure.ts'
import {
  createInitialConversationState,
  reduceSessionEvents,
  type SessionEvent,
} from '../../../src/entries/index.ts'
import { toMarkdown } from '../../../src/sinks/markdown/to-markdown.ts'

const JSON_ERROR = '{"error":{"type":"invalid_request_error","message":"The key is wrong."}}'

// A failed session of Codex showed the JSON of the server, in the conversation and below it.
it.each([
  [JSON_ERROR, 'The key is wrong.'],
  [`API Error: 400 ${JSON_ERROR}`, 'API Error: 400 The key is wrong.'],
  ['{"detail":"Not here"}', 'Not here'],
  ['{"error":"Not here","message":"other"}', 'Not here'],
  [JSON.stringify({ message: JSON_ERROR }), 'The key is wrong.'],
  ['{"error":{"message":""}}', '{"error":{"message":""}}'],
  ['{"error":{"code":5}}', '{"error":{"code":5}}'],
  ['cannot parse {x}', 'cannot parse {x}'],
  ['plain words', 'plain words'],
])('has the words of an error: %s', (message, words) => {
  expect(errorText(message)).toBe(words)
})

it('takes no depth of a hostile error', () => {
  const deep = `${'{"error":'.repeat(50_000)}{"message":"x"}${'}'.repeat(50_000)}`
  expect(errorText(deep)).toBe(deep)
})

const failed = (error: string): readonly SessionEvent[] => [
  { type: 'session:running' },
  { type: 'block:upsert', block: { type: 'error', id: 'e', status: 'complete', message: JSON_ERROR } },
  { type: 'session:idle', outcome: 'failed', error },
]
const stateOf = (events: readonly SessionEvent[]) =>
  reduceSessionEvents(createInitialConversationState(), events)

it('says in the conversation and at the end of `show` why a turn failed, in words', () => {
  const state = stateOf(failed(JSON_ERROR))
  expect(failureReason(state)).toBeUndefined()
  expect(failureReason(stateOf(failed('{"message":"Another one"}')))).toBe('Another one')
  const shown = [
    ...sessionLines(
      { state, issues: [] },
      { columns: 80, isStyled: false, isFull: false, redact: (text) => text },
    ),
  ]
  expect(shown.join('\n').match(/The key is wrong/g)).toHaveLength(2)
  expect(shown.join('\n')).not.toContain('{"error"')
  expect(toMarkdown(state)).not.toContain('{"error"')
})
