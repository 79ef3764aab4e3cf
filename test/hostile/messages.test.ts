import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSessionEvent, type SessionEvent, type Source } from '../../src/index.ts'
import { claudeSource } from '../../src/sources/claude/index.ts'
import { opencodeSource } from '../../src/sources/opencode/index.ts'
import { odd, withoutPollution } from './values.ts'

/** Messages in which a field of a field of one may be of any kind. */
const messages = fc.array(
  fc.oneof(
    odd,
    fc.dictionary(
      fc.constantFrom(
        'type',
        'message',
        'event',
        'uuid',
        'session_id',
        'properties',
        'payload',
        'content',
        'subtype',
      ),
      fc.oneof(
        odd,
        fc.dictionary(fc.constantFrom('id', 'type', 'part', 'info', 'content', 'usage', 'sessionID'), odd),
      ),
    ),
    fc
      .tuple(fc.constantFrom('assistant', 'user', 'system', 'result', 'attachment', 'stream_event'), odd, odd)
      .map(([type, message, content]) => ({
        type,
        session_id: 's',
        message: { id: 'm', content: [content, { type: 'tool_use', id: message, input: content }] },
        event: message,
        subtype: content,
      })),
    fc
      .tuple(
        fc.constantFrom('message.updated', 'message.part.updated', 'session.updated', 'session.error'),
        odd,
        odd,
      )
      .map(([type, info, part]) => ({
        type,
        properties: {
          sessionID: 's',
          info: { id: 's', role: info, error: part, time: info },
          part: { id: part, messageID: info, type: 'tool', state: { status: 'completed', input: part } },
        },
      })),
  ),
  { maxLength: 5 },
)

/** Translates messages of any kind, and expects of the events that each is one. */
function expectEvents<Memory>({ initial, translate, end }: Source<Memory>): void {
  withoutPollution(() =>
    fc.assert(
      fc.property(messages, (all) => {
        let memory = initial
        const events: SessionEvent[] = []
        for (const each of all) {
          const translated = translate(memory, each)
          memory = translated.memory
          events.push(...translated.events)
        }
        for (const event of [...events, ...end(memory).events])
          expect(parseSessionEvent(event)).toEqual({ ok: true, event })
      }),
      { numRuns: 1000 },
    ),
  )
}

describe('messages of any kind are translated into events, or reported', () => {
  it('by the source of Claude Code', () => {
    expectEvents(claudeSource)
  })

  it('by the source of OpenCode', () => {
    expectEvents(opencodeSource)
  })
})
