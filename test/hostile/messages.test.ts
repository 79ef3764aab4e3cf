import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseSessionEvent } from '../../src/entries/index.ts'
import type { Reading } from '../../src/entries/source-kit.ts'
import { loadedSourceOf } from '../../src/wires/sources.ts'
import { depth } from '../depth.ts'
import { CLAUDE, OPENCODE, type Program, textsOf } from './programs.ts'
import { odd, withoutPollution } from './values.ts'

it.each([CLAUDE, OPENCODE])(
  'messages of any kind are translated into events, or reported, and leave the good ones between them: $name',
  (program) => expectGood(program, depth({ few: 150, all: 1000 })),
)

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

/** Lines that no odd one names. */
const goodLine = ({ line }: Program, at: number): unknown => JSON.parse(line(`good ${at}`, `"good ${at}"`))

/**
 * Reads messages of any kind with good ones between them. Expects of the events that each is one, and of the state that
 * it has what the good ones say, once and in their order.
 */
function expectGood(program: Program, numRuns: number): void {
  const source = loadedSourceOf(program.architecture)
  const beginning = program.beginning.map((line): unknown => JSON.parse(line))
  withoutPollution(() =>
    fc.assert(
      fc.property(messages, (odds) => {
        const between = odds.flatMap((each, at) => [each, goodLine(program, at + 1)])
        let session = source.open()
        const expectEvents = (reading: Reading): void => {
          session = reading.session
          for (const event of reading.events) expect(parseSessionEvent(event)).toEqual({ ok: true, event })
        }
        for (const each of [...beginning, goodLine(program, 0), ...between])
          expectEvents(source.read(session, [each]))
        expectEvents(source.end(session))
        const texts = textsOf(session.state)
        expect(texts.filter((text) => `${text}`.startsWith('good'))).toEqual(
          [0, ...odds.map((_, at) => at + 1)].map((at) => `good ${at}`),
        )
      }),
      { numRuns },
    ),
  )
}
