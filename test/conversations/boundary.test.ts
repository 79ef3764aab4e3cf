import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  type ConversationMessage,
  createConversationLog,
  endConversation,
  getConversation,
  pastConversations,
  recentConversations,
  serializeConversationLog,
} from '../../src/entries/conversations.ts'
import { at, chat, idsIn, message, nested, outline } from './messages.ts'

const empty = createConversationLog()

describe('the timeout', () => {
  it('includes its last millisecond, and no more', () => {
    const late = { ...message('b', 0), timestamp: '2026-02-04T10:30:00.001Z' }
    expect(outline(chat([message('a', 0), message('b', 30)]).log)).toEqual([['a', 'b']])
    expect(outline(chat([message('a', 0), late]).log)).toEqual([['a'], ['b']])
  })

  it('of zero separates all messages with different times', () => {
    const messages = [message('a', 0), message('b', 0), message('c', 1)]
    expect(outline(chat(messages, { conversationIdleTimeoutMinutes: 0 }).log)).toEqual([['a', 'b'], ['c']])
  })

  it('may be a fraction of a minute', () => {
    const second = { ...message('b', 0), timestamp: '2026-02-04T10:02:00.600Z' }
    const settings = { conversationIdleTimeoutMinutes: 2.01 }
    expect(outline(chat([message('a', 0), second], settings).log)).toEqual([['a', 'b']])
  })

  it('may be infinite', () => {
    const messages = [message('a', 0), message('b', 1e6)]
    const settings = { conversationIdleTimeoutMinutes: Number.POSITIVE_INFINITY }
    expect(outline(chat(messages, settings).log)).toEqual([['a', 'b']])
  })

  it('ends a conversation at the time of its last message', () => {
    const { steps } = chat([message('a', 0), message('b', 10), message('c', 1000)])
    expect(steps.at(-1)?.ended).toMatchObject({ startedAt: at(0), endedAt: at(10) })
  })
})

it('a message that comes twice is added twice: only the host knows whether it is a repeat', () => {
  expect(outline(chat([message('a', 0), message('a', 0)]).log)).toEqual([['a', 'a']])
})

describe('messages out of time order', () => {
  it('belong to the active conversation in the order of their arrival', () => {
    expect(outline(chat([message('a', 60), message('late', 0), message('b', 70)]).log)).toEqual([
      ['a', 'late', 'b'],
    ])
  })

  it('do not reduce its last time', () => {
    const { log } = chat([message('a', 60), message('late', 0)])
    expect(log.lastActiveAt).toBe(at(60))
    expect(appendMessage(log, message('b', 91)).ended).toMatchObject({ startedAt: at(60), endedAt: at(60) })
  })

  it('begin a new conversation if the clock has jumped back and the timeout has passed since', () => {
    const { log } = chat([message('a', 600), message('b', 0), message('c', 20), message('d', 51)])
    expect(outline(log)).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('do not make it end before its latest message', () => {
    const { log } = chat([message('a', 60)])
    expect(endConversation(log, at(0)).ended?.endedAt).toBe(at(60))
  })
})

describe('times', () => {
  it.each([
    ['another zone', '2026-02-04T12:30:00.000+02:00'],
    ['no zone, which is UTC', '2026-02-04T10:30:00'],
    ['no seconds', '2026-02-04 10:30Z'],
  ])('may be written with %s', (_, timestamp) => {
    const { log } = chat([message('a', 0), { ...message('b', 0), timestamp }])
    expect(outline(log)).toEqual([['a', 'b']])
    expect(log.lastActiveAt).toBe(timestamp)
  })

  it.each(['', 'yesterday', '2026-02-30T00:00:00Z', '2026-02-04T25:00:00Z', '1770199200000'])(
    'are refused if they are invalid: %j',
    (timestamp) => {
      expect(() => appendMessage(empty, { ...message('a', 0), timestamp })).toThrow(RangeError)
      expect(() => endConversation(chat([message('a', 0)]).log, timestamp)).toThrow(RangeError)
    },
  )

  it.each<[string, unknown]>([
    ['an object whose text is none', { toString: 1 }],
    ['a deep list', nested(100_000)],
    ['a symbol', Symbol('now')],
    ['null', null],
  ])('of an explicit end are refused with a RangeError: %s', (_, now) => {
    expect(() => endConversation(chat([message('a', 0)]).log, now as string)).toThrow(
      new RangeError('pass the time as ISO 8601 or ms since the epoch'),
    )
  })

  it('of an explicit end may be ms since the epoch', () => {
    const { log } = chat([message('a', 0)])
    expect(endConversation(log, Date.parse(at(5))).ended?.endedAt).toBe(at(5))
    expect(() => endConversation(log, Number.NaN)).toThrow(RangeError)
    expect(() => endConversation(log, 1e17)).toThrow(RangeError)
  })
})

describe('ids', () => {
  it('have a suffix if conversations begin at the same time', () => {
    let log = empty
    for (const id of ['a', 'b', 'c']) log = endConversation(appendMessage(log, message(id, 0)).log, at(0)).log
    expect(pastConversations(log).map((each) => each.id)).toEqual([
      `conv-${at(0)}`,
      `conv-${at(0)}-2`,
      `conv-${at(0)}-3`,
    ])
    expect(getConversation(log, `conv-${at(0)}-2`)).toMatchObject({ messages: [{ id: 'b' }] })
  })

  it('are never those of dropped conversations', () => {
    const { log, steps } = chat([message('a', 0), message('b', 100), message('c', 0)], {
      maxConversationsRetained: 1,
    })
    const again = chat([message('d', 0)], { maxConversationsRetained: 1 }, endConversation(log, at(100)).log)
    const ids = [...steps, ...again.steps].map((step) => step.log.active?.id)
    expect(new Set(ids).size).toBe(3)
  })

  it('are unique after the clock has jumped back', () => {
    let log = empty
    for (const minutes of [0, 100, 0, 100])
      log = endConversation(appendMessage(log, message('m', minutes)).log, at(minutes)).log
    expect(new Set(pastConversations(log).map((each) => each.id)).size).toBe(4)
  })
})

describe('retention', () => {
  const four = [0, 31, 62, 93].map((minutes) => message(`m${minutes}`, minutes))

  it('never drops the active conversation', () => {
    const { log } = chat(four, { maxConversationsRetained: 0 })
    expect(outline(log)).toEqual([['m93']])
  })

  it('drops several when the limit gets smaller', () => {
    const step = appendMessage(chat(four).log, message('n', 94), { maxConversationsRetained: 2 })
    expect(step.dropped.map(idsIn)).toEqual([['m0'], ['m31']])
    expect(outline(step.log)).toEqual([['m62'], ['m93', 'n']])
  })

  it('may be unlimited', () => {
    const settings = { maxConversationsRetained: Number.POSITIVE_INFINITY }
    expect(outline(chat(four, settings).log)).toHaveLength(4)
  })

  it.each([255, 256, 257, 600])('keeps the last of many: %i', (maxConversationsRetained) => {
    const many = Array.from({ length: 700 }, (_, each) => message(`m${each}`, 31 * each))
    const { log } = chat(many, { maxConversationsRetained })
    expect(outline(log)).toEqual(many.slice(-maxConversationsRetained).map(({ id }) => [id]))
    expect(recentConversations(log, 3).map(idsIn)).toEqual([['m698'], ['m697'], ['m696']])
    expect(log.ended.count).toBe(maxConversationsRetained - 1)
  })
})

describe('wrong usage', () => {
  it.each([-1, Number.NaN, null, '5'])('of a setting is refused: %j', (value) => {
    for (const setting of ['conversationIdleTimeoutMinutes', 'maxConversationsRetained'])
      expect(() => appendMessage(empty, message('a', 0), { [setting]: value })).toThrow(setting)
  })

  it.each([
    { ...message('a', 0), role: 'system' },
    { ...message('a', 0), content: 7 },
    { ...message('a', 0), id: undefined },
    { ...message('a', 0), toolsUsed: [7] },
    null,
  ])('of a message is refused: %j', (bad) => {
    expect(() => appendMessage(empty, bad as unknown as ConversationMessage)).toThrow(TypeError)
  })

  it('of a message is refused if the host’s own field is nested too deep for JSON', () => {
    const withMeta = (meta: unknown) => appendMessage(empty, { ...message('a', 0), ...{ meta } }).log
    const deep = () => withMeta(nested(256))
    expect(JSON.stringify(serializeConversationLog(withMeta(nested(255))))).toContain('[[[')
    expect(deep).toThrow(TypeError)
    expect(deep).toThrow('256 levels')
    expect(() => withMeta(nested(100_000))).toThrow(TypeError)
  })

  it.each([-1, Number.NaN, { toString: 1 }, '5', null])('of a count is refused: %j', (count) => {
    expect(() => recentConversations(empty, count as number)).toThrow(RangeError)
  })
})

describe('the end', () => {
  it('without an active conversation changes nothing', () => {
    expect(endConversation(empty, at(0))).toEqual({ log: empty, ended: null })
    expect(endConversation(empty, at(0)).log).toBe(empty)
  })
})

it('keeps the host’s own fields of a message', () => {
  const own = { ...message('a', 0), liked: true, expected: 'x' }
  expect(chat([own]).log.active?.messages).toEqual([own])
})
