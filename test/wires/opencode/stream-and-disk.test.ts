import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '../../depth.ts'
import { messagesIn, threadsOf } from '../recordings.ts'
import { main, readOpenEvents } from './messages.ts'
import { recordings, replay } from './recordings.ts'
import { sharedState, toExports } from './stored.ts'

describe.each(recordings)('$name', ({ events, files, disk }) => {
  const live = replay(events)
  const stored = replay(disk)

  it('gives the same state from the bus and from the exports', () => {
    expect(sharedState(live.state)).toEqual(sharedState(stored.state))
    expect(live.ending).toBe(stored.ending)
  })

  it('gives every block and conversation an id of OpenCode', () => {
    const known = new Set(Object.values(files).flatMap((text) => idsIn(JSON.parse(text))))
    const ownId = (id: string) => id.replace(/^subagent:|:(result|error|request)$/g, '')
    const unknown = threadsOf(stored.state)
      .flatMap(({ blocks }) => blocks.map(({ id }) => ownId(id)))
      .concat(stored.state.subagents.flatMap(({ toolUseId, agentId = '' }) => [toolUseId, agentId]))
      .filter((id) => !known.has(id))
    expect(unknown).toEqual([])
  })

  it('gives the same state for the exports in another order', () => {
    const exports = Object.values(files).map((text): unknown => JSON.parse(text))
    for (const list of [exports, [...exports].reverse()]) {
      const { state, issues } = replay(JSON.stringify(list))
      expect(withUnorderedConversations(sharedState(state))).toEqual(
        withUnorderedConversations(sharedState(stored.state)),
      )
      expect(issues).toEqual([])
    }
  })

  it('adds nothing if a session is exported twice', () => {
    const { state } = replay({ ...disk, subagents: [...disk.subagents, ...disk.subagents] })
    expect(state).toEqual(stored.state)
  })
})

/** Returns all ids of an export: of sessions, messages, parts and calls. */
function idsIn(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) =>
    key === 'id' || key === 'callID' ? [item] : idsIn(item),
  )
}

/** Returns the state with unordered conversations: subagents stand in the order of the exports. */
function withUnorderedConversations(state: object): unknown {
  if (!('conversations' in state) || !Array.isArray(state.conversations)) return undefined
  return { ...state, conversations: new Set(state.conversations) }
}

it('a streaming text is the sum of its deltas until the whole text arrives', () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 6 }), { maxLength: 12 })
  fc.assert(
    fc.property(pieces, fc.constantFrom('text', 'reasoning'), (texts, type) => {
      const text = texts.join('')
      const session = { sessionID: 'ses_main' }
      const part = { ...session, messageID: 'msg_1', id: 'prt_1', type }
      const update = (news: object) => ({
        type: 'message.part.updated',
        properties: { ...session, part: { ...part, ...news } },
      })
      const started = [
        { type: 'message.updated', properties: { ...session, info: { id: 'msg_1', role: 'assistant' } } },
        update({ text: '', time: { start: 1 } }),
        ...texts.map((delta) => ({
          type: 'message.part.delta',
          properties: { ...session, messageID: 'msg_1', partID: 'prt_1', field: 'text', delta },
        })),
      ]
      const linesOf = (events: readonly object[]) =>
        events.map((event, at) => `${JSON.stringify({ id: `evt_${at}`, ...event })}\n`).join('')
      const streamed = readOpenEvents(main.created(), ...started).state.blocks
      expect(streamed).toMatchObject([{ id: 'prt_1', content: text, status: 'pending' }])
      const whole = replay(linesOf([...started, update({ text: `${text}!`, time: { start: 1, end: 2 } })]))
      expect(whole.state.blocks).toMatchObject([{ id: 'prt_1', content: `${text}!`, status: 'complete' }])
    }),
    { numRuns: runs(20) },
  )
})

// Each session keeps the order of its own events. The sessions are mixed at random.
it('sessions of one server give the same state however their events are mixed', () => {
  const nested = recordings.filter(({ disk }) => disk.subagents.length > 0)
  fc.assert(
    fc.property(fc.constantFrom(...nested), fc.infiniteStream(fc.nat({ max: 2 })), ({ events }, choices) => {
      const { state, issues } = replay(
        interleaved(messagesIn(events), choices)
          .map((message) => JSON.stringify(message))
          .join('\n'),
      )
      expect(issues).toEqual([])
      expect(withUnorderedConversations(sharedState(state))).toEqual(
        withUnorderedConversations(sharedState(replay(events).state)),
      )
    }),
    { numRuns: runs(20) },
  )
})

function interleaved(messages: readonly unknown[], choices: Iterator<number>): readonly unknown[] {
  const sessionOf = (message: unknown) => JSON.stringify(message).match(/"sessionID":"([^"]*)"/)?.[1] ?? ''
  const queues = new Map<string, unknown[]>()
  for (const message of messages)
    queues.set(sessionOf(message), [...(queues.get(sessionOf(message)) ?? []), message])
  // OpenCode creates a subagent's session after main, and before its parent's call runs.
  const [own = [], first = [], ...others] = queues.values()
  const result = [...own, ...first.splice(0, 1)]
  const waiting = [first, ...others]
  while (waiting.some(({ length }) => length > 0)) {
    const left = waiting.filter(({ length }) => length > 0)
    const choice: number = choices.next().value ?? 0
    result.push(left[choice % left.length]?.shift())
  }
  return result
}

it('stores every session of the bus', () => {
  for (const { events, files } of recordings)
    expect(toExports(messagesIn(events))).toHaveLength(Object.keys(files).length)
})
