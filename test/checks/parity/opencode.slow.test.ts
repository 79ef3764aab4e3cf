import { describe, expect, it } from 'vitest'
import { asObject, asString, type JsonObject } from '../../../src/core/json/values.ts'
import { parseTranscript } from '../../../src/entries/index.ts'
import { compareSessions } from '../../../src/entries/parity.ts'
import { opencodeTranscript } from '../../../src/wires/opencode/files/session-files.ts'
import { sampleOf } from '../../depth.ts'
import { messagesIn } from '../../wires/recordings.ts'
import { busSessions, textOf } from './sessions.ts'

/** Each length costs as much as the whole bus. */
const MOST_LENGTHS = 40

const MAIN = 'ses_1'
const CHILD = 'ses_2'

/** Returns the exports of all sessions after these events. */
function exportsAfter(events: readonly JsonObject[]): Readonly<Record<string, string>> {
  const infos = new Map<string, JsonObject>()
  const messages = new Map<string, JsonObject>()
  const parts = new Map<string, JsonObject>()
  for (const { type, properties } of events) {
    const { info, part, messageID, partID, field, delta } = asObject(properties)
    const id = asString(asObject(info).id) ?? ''
    if (type === 'session.created' || type === 'session.updated') infos.set(id, asObject(info))
    if (type === 'message.updated') messages.set(id, asObject(info))
    if (type === 'message.removed') messages.delete(asString(messageID) ?? '')
    if (type === 'message.part.updated') parts.set(asString(asObject(part).id) ?? '', asObject(part))
    if (type !== 'message.part.delta') continue
    const before = asObject(parts.get(asString(partID) ?? ''))
    const name = asString(field) ?? ''
    parts.set(asString(partID) ?? '', { ...before, [name]: `${before[name] ?? ''}${delta}` })
  }
  const written = [...infos].map(([id, info]) => [id, JSON.stringify({ info, messages: messagesOf(id) })])
  return Object.fromEntries(written)

  function messagesOf(session: string): readonly JsonObject[] {
    return [...messages.values()]
      .filter(({ sessionID }) => sessionID === session)
      .map((info) => ({ info, parts: partsOf(info) }))
  }
  function partsOf({ id }: JsonObject): readonly JsonObject[] {
    return [...parts.values()]
      .filter(({ messageID }) => messageID === id)
      .sort((left, right) => (String(left.id) < String(right.id) ? -1 : 1))
  }
}

const afterEvents = (events: readonly JsonObject[]) =>
  parseTranscript('opencode', events.map((event) => JSON.stringify(event)).join('\n'))
const afterExport = (exports: Readonly<Record<string, string>>) =>
  parseTranscript('opencode', opencodeTranscript(exports))

describe('a bus that was cut', () => {
  // In these recordings, the bus reports an error before the message that it ended.
  const whole = busSessions.filter(({ name }) => !['08c-subagent-fails', '11a-abort'].includes(name))

  it.each(whole)('is equal to the export of the same moment: $name', ({ name }) => {
    const events = messagesIn(textOf(name, 'events.ndjson')).map(asObject)
    const first = events.findIndex(({ type }) => type === 'session.created')
    for (const length of sampleOf([...events.keys()].slice(first), MOST_LENGTHS).map((at) => at + 1)) {
      const received = events.slice(0, length)
      expect(compareSessions(afterEvents(received), afterExport(exportsAfter(received))).differences).toEqual(
        [],
      )
    }
  })
})

let made = 0
const event = (type: string, properties: JsonObject): JsonObject => {
  made += 1
  return { id: `evt_${made}`, type, properties }
}
const session = (info: JsonObject = {}, id = MAIN) =>
  event('session.updated', {
    sessionID: id,
    info: {
      id,
      version: '1.18.33',
      directory: '/srv/demo',
      title: 'A session',
      time: { created: 1 },
      ...info,
    },
  })
const message = (id: string, info: JsonObject, sessionID = MAIN) =>
  event('message.updated', { sessionID, info: { id, sessionID, time: { created: 10 }, ...info } })
const prompt = (id: string, text: string, sessionID = MAIN) => [
  message(id, { role: 'user' }, sessionID),
  part(`${id}p`, id, { type: 'text', text }, sessionID),
]
const begun = (id: string, sessionID = MAIN) => message(id, { role: 'assistant', modelID: 'm' }, sessionID)
const ended = (id: string, info: JsonObject = { finish: 'stop' }, sessionID = MAIN) =>
  message(id, { role: 'assistant', modelID: 'm', time: { created: 10, completed: 20 }, ...info }, sessionID)
const part = (id: string, messageID: string, facts: JsonObject, sessionID = MAIN) =>
  event('message.part.updated', { sessionID, part: { id, messageID, sessionID, ...facts } })
const delta = (partID: string, messageID: string, delta: string) =>
  event('message.part.delta', { sessionID: MAIN, messageID, partID, field: 'text', delta })
const whole = (content: string) => ({ type: 'text', text: content, time: { start: 11, end: 12 } })
const idle = (sessionID = MAIN) => event('session.idle', { sessionID })
const abort = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const stopped = (sessionID = MAIN) => event('session.error', { sessionID, error: abort })

const sidesOf = (events: readonly JsonObject[], exports = exportsAfter(events)) =>
  compareSessions(afterEvents(events), afterExport(exports))

describe('both sides are equal for', () => {
  it('a message that was cut and tried again, without its first text', () => {
    const events = [
      session(),
      ...prompt('m0', 'Go.'),
      begun('m1'),
      part('p1', 'm1', { type: 'step-start' }),
      part('p2', 'm1', { type: 'text', text: '', time: { start: 11 } }),
      event('session.status', { sessionID: MAIN, status: { type: 'retry', attempt: 1, message: 'again' } }),
      part('p3', 'm1', { type: 'step-start' }),
      part('p4', 'm1', whole('Whole.')),
      ended('m1'),
      idle(),
    ]
    const cut = delta('p2', 'm1', 'This will be cut in the midd')
    // The export has no deltas.
    const received = [...events.slice(0, 6), cut, ...events.slice(6)]
    expect(sidesOf(received, exportsAfter(events))).toEqual({
      differences: [],
      excluded: [{ kind: 'system-note', side: 'live', count: 1 }],
    })
    expect(afterEvents(received).blocks.map(({ type }) => type)).toEqual([
      'user_message',
      'system',
      'assistant_text',
    ])
  })

  it('a tool that was stopped with the session', () => {
    const tool = (state: JsonObject) => part('p1', 'm1', { type: 'tool', tool: 'bash', callID: 'c1', state })
    const input = { command: 'sleep 9' }
    const events = [
      session(),
      ...prompt('m0', 'Go.'),
      begun('m1'),
      tool({ status: 'running', input, time: { start: 11 } }),
      stopped(),
      idle(),
      tool({ status: 'completed', input, output: 'User aborted', time: { start: 11, end: 12 } }),
      ended('m1', { error: abort }),
      idle(),
    ]
    expect(sidesOf(events).differences).toEqual([])
  })

  it('a subagent that was stopped with the session', () => {
    const input = { description: 'Look', prompt: 'Do it.', subagent_type: 'general' }
    const metadata = { parentSessionId: MAIN, sessionId: CHILD }
    const task = (state: JsonObject) =>
      part('p1', 'm1', { type: 'tool', tool: 'task', callID: 'c1', state: { input, metadata, ...state } })
    const events = [
      session(),
      ...prompt('m0', 'Go.'),
      begun('m1'),
      session({ parentID: MAIN, title: 'Look (@general subagent)' }, CHILD),
      task({ status: 'running', time: { start: 11 } }),
      ...prompt('k0', 'Do it.', CHILD),
      begun('k1', CHILD),
      part('k1p', 'k1', whole('Half'), CHILD),
      stopped(CHILD),
      ended('k1', { error: abort }, CHILD),
      stopped(),
      idle(),
      task({ status: 'error', error: 'Tool execution aborted', time: { start: 11, end: 15 } }),
      ended('m1', { error: abort }),
      idle(),
    ]
    expect(sidesOf(events)).toEqual({ differences: [], excluded: [] })
    expect(afterEvents(events).subagents).toMatchObject([{ status: 'error', parentConversationId: 'main' }])
  })

  it('a reverted session, before and after it continues', () => {
    const removed = (messageID: string) => event('message.removed', { sessionID: MAIN, messageID })
    const reverted = [
      session(),
      ...prompt('m0', 'First.'),
      begun('m1'),
      part('m1p', 'm1', whole('One.')),
      ended('m1'),
      ...prompt('m2', 'Second.'),
      begun('m3'),
      part('m3p', 'm3', whole('Two.')),
      ended('m3'),
      idle(),
      session({ revert: { messageID: 'm2' } }),
    ]
    const goneOn = [...reverted, removed('m2'), removed('m3'), session(), ...prompt('m4', 'Third.')]
    expect(sidesOf(reverted).differences).toEqual([])
    expect(sidesOf([...reverted, session()]).differences).toEqual([])
    expect(sidesOf(goneOn).differences).toEqual([])
    expect(afterEvents(goneOn).blocks.map(({ id }) => id)).toEqual(['m0', 'm1p', 'rewind:m2', 'm4'])
  })
})
