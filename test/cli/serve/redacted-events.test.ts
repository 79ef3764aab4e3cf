import { expect, it } from 'vitest'
import { RedactedEvents } from '../../../src/cli/serve/redacted-events.ts'
import type { SessionEvent } from '../../../src/events/event.ts'
import { foldSessionEvents } from '../../../src/reducer/reduce.ts'
import { redactAll } from '../../../src/sinks/markdown/redaction/redactions.ts'
import { redactSession } from '../../../src/sinks/markdown/redaction/session.ts'
import { createInitialConversationState } from '../../../src/state/session.ts'

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
