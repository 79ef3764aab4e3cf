import { expect, it } from 'vitest'
import { RedactedEvents } from '../../../src/cli/serve/redacted-events.ts'
import type { SessionEvent } from '../../../src/core/events/event.ts'
import { foldSessionEvents } from '../../../src/core/reducer/reduce.ts'
import { createInitialConversationState } from '../../../src/core/state/session.ts'
import { redactAll } from '../../../src/redaction/redactions.ts'
import { redactSession } from '../../../src/redaction/session.ts'

const text =
  'The key is ghp_0123456789abcdefghijABCDEFGHIJ012345, by jo@acme.example.\nDB_PASSWORD=hunter2Secret9 x'

const EVENTS: readonly SessionEvent[] = [
  { type: 'session:running' },
  { type: 'session:updated', facts: { cwd: '/home/joe/app' } },
  { type: 'block:upsert', block: { type: 'assistant_text', id: 'a', status: 'pending', content: '' } },
  ...[...text.matchAll(/[\s\S]{1,5}/g)].map(
    ([delta]): SessionEvent => ({ type: 'block:delta', blockId: 'a', delta }),
  ),
  { type: 'session:idle' },
]

it.each([1, 3, EVENTS.length])(
  'lead to the redacted state in batches of %j, and show no secret on the way',
  (size) => {
    const redacted = new RedactedEvents()
    const served: SessionEvent[] = []
    for (let at = 0; at < EVENTS.length; at += size)
      served.push(...redacted.append(EVENTS.slice(at, at + size)))
    const initial = createInitialConversationState()
    const { state } = foldSessionEvents(initial, served)
    expect(state).toEqual(redactSession(foldSessionEvents(initial, EVENTS).state, redactAll))
    expect(JSON.stringify(served)).not.toMatch(/ghp_|hunter2|jo@|joe/)
  },
)

it('keep the reference of what has no secret', () => {
  const { state } = foldSessionEvents(createInitialConversationState(), [{ type: 'session:running' }])
  expect(redactSession(state, redactAll)).toBe(state)
})

it('hold back the unfinished lines of prompts and of notes with data', () => {
  const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345'
  const half = `First.\n${secret.slice(0, 12)}`
  const parts = [
    { type: 'text', text: half },
    { type: 'image', source: { type: 'url', url: 'a' } },
  ] as const
  const data = { type: 'note', lines: [half, 7], inner: { text: half, none: null } }
  const events: readonly SessionEvent[] = [
    { type: 'block:upsert', block: { type: 'user_message', id: 'p', status: 'pending', content: half } },
    { type: 'block:upsert', block: { type: 'user_message', id: 'q', status: 'pending', content: parts } },
    {
      type: 'block:upsert',
      block: { type: 'system', id: 's', status: 'pending', subtype: 'x', message: half, data },
    },
  ]
  const served = new RedactedEvents().append(events)
  expect(JSON.stringify(served)).not.toContain('ghp_')
  expect(served).toMatchObject([
    { block: { content: 'First.\n' } },
    { block: { content: [{ text: 'First.\n' }, { type: 'image' }] } },
    {
      block: {
        message: 'First.\n',
        data: { type: 'note', lines: ['First.\n', 7], inner: { text: 'First.\n' } },
      },
    },
  ])
})
