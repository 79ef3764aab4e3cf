import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  createConversationLog,
  parseConversationLog,
  serializeConversationLog,
} from '../../src/entries/conversations.ts'
import { at, chat, message, nested, outline } from './messages.ts'

const { log } = chat([message('a', 0), message('b', 31), message('c', 62)])
const stored = serializeConversationLog(log)
const [first, second, active] = stored.conversations
const withConversations = (conversations: readonly unknown[]) => ({ ...stored, conversations })

describe('a stored log', () => {
  it('is read from a value and from text', () => {
    expect(parseConversationLog(stored)).toEqual({ log, issues: [] })
    expect(parseConversationLog(JSON.stringify(stored)).log).toStrictEqual(log)
  })

  it('is read without the fields that only the library writes', () => {
    const { log: read, issues } = parseConversationLog({ conversations: stored.conversations })
    expect(read).toStrictEqual(log)
    expect(issues).toEqual([])
  })

  it('reuses no id of a dropped conversation', () => {
    const { log: full } = chat([message('late', 100), message('a', 0)], { maxConversationsRetained: 1 })
    expect(parseConversationLog(serializeConversationLog(full)).log).toStrictEqual(full)
  })

  it.each([undefined, null, 7, '', '{', '[]', {}, { conversations: {} }, { version: 2, conversations: [] }])(
    'is not a summary: %j',
    (value) => {
      const { log: read, issues } = parseConversationLog(value)
      expect(read).toEqual(createConversationLog())
      expect(issues).toMatchObject([{ code: 'not-a-log', path: [], value }])
    },
  )
})

describe('a bad entry', () => {
  it.each<[string, unknown]>([
    ['an object', null],
    ['a string as its id', { ...first, id: 7 }],
    ['an ISO 8601 time as its startedAt', { ...first, startedAt: 'once' }],
    ['an ISO 8601 time, or null, as its endedAt', { ...first, endedAt: '' }],
    ['a string, or null, as its title', { ...first, title: 7 }],
    ['a string, or null, as its summary', { ...first, summary: {} }],
    ['a list of messages', { ...first, messages: undefined }],
  ])('is left out, and the issue describes the expected value: %s', (expected, value) => {
    const { log: read, issues } = parseConversationLog(withConversations([value, second, active]))
    expect(outline(read)).toEqual([['b'], ['c']])
    expect(issues).toEqual([{ code: 'invalid-conversation', path: ['conversations', 0], expected, value }])
  })

  it('among messages is left out alone', () => {
    const value = { ...message('x', 0), role: 'tool' }
    const bad = { ...first, messages: [message('a', 0), value, 'text'] }
    const { log: read, issues } = parseConversationLog(withConversations([bad, active]))
    expect(outline(read)).toEqual([['a'], ['c']])
    expect(issues).toEqual([
      {
        code: 'invalid-message',
        path: ['conversations', 0, 'messages', 1, 'role'],
        expected: 'user or assistant',
        value,
      },
      {
        code: 'invalid-message',
        path: ['conversations', 0, 'messages', 2],
        expected: 'an object',
        value: 'text',
      },
    ])
  })

  it('does not affect valid entries, also if there are very many bad ones', () => {
    const bad = { ...first, messages: Array.from({ length: 200_000 }, () => 1) }
    const { log: read, issues } = parseConversationLog(withConversations([bad, second, active]))
    expect(outline(read)).toEqual([[], ['b'], ['c']])
    expect(issues).toHaveLength(200_000)
  })

  it('nested too deep for JSON is left out alone: a message', () => {
    const [kept, value] = [255, 256].map((levels) => ({ ...message('x', 0), meta: nested(levels) }))
    const mixed = { ...first, messages: [kept, value, message('a', 0)] }
    const { log: read, issues } = parseConversationLog(withConversations([mixed, active]))
    expect(outline(read)).toEqual([['x', 'a'], ['c']])
    expect(issues).toMatchObject([
      {
        code: 'invalid-message',
        path: ['conversations', 0, 'messages', 1],
        expected: 'at most 256 levels',
      },
    ])
    expect(issues[0]?.value).toBe(value)
  })

  it('nested too deep for JSON is left out alone: a conversation', () => {
    const [kept, value] = [255, 256].map((levels) => ({ ...first, meta: nested(levels) }))
    const { log: read, issues } = parseConversationLog(withConversations([value, kept, active]))
    expect(outline(read)).toEqual([['a'], ['c']])
    expect(issues).toMatchObject([
      {
        code: 'invalid-conversation',
        path: ['conversations', 0],
        expected: 'at most 256 levels',
      },
    ])
    expect(issues[0]?.value).toBe(value)
  })

  it('nested as deep as allowed can be written again', () => {
    const deep = '['.repeat(100_000) + ']'.repeat(100_000)
    const text = JSON.stringify(
      withConversations([
        { ...first, meta: 0 },
        { ...second, messages: [{ meta: 0 }] },
      ]),
    )
    const { log: read, issues } = parseConversationLog(text.replaceAll('"meta":0', `"meta":${deep}`))
    expect(issues.map(({ code }) => code)).toEqual(['invalid-conversation', 'invalid-message'])
    expect(JSON.stringify(serializeConversationLog(read))).not.toContain('meta')
  })

  it('with a taken id gets another id', () => {
    const { log: read, issues } = parseConversationLog(withConversations([first, first, active]))
    expect(outline(read)).toEqual([['a'], ['a'], ['c']])
    expect(read.ended.chunks.flat().map(({ id }) => id)).toEqual([`conv-${at(0)}`, `conv-${at(0)}-2`])
    expect(issues).toMatchObject([{ code: 'taken-id', path: ['conversations', 1, 'id'] }])
  })

  it('with an id that very many share gets another id quickly', () => {
    const many = Array.from({ length: 20_000 }, () => first)
    const { log: read } = parseConversationLog(withConversations(many))
    expect(read.ended.chunks.flat().at(-1)?.id).toBe(`conv-${at(0)}-20000`)
  })

  it('with a taken id does not get the id of another conversation', () => {
    const other = { ...second, id: `conv-${at(0)}-2` }
    const { log: read } = parseConversationLog(withConversations([first, first, other]))
    expect(read.ended.chunks.flat().map(({ id }) => id)).toEqual([
      `conv-${at(0)}`,
      `conv-${at(0)}-3`,
      `conv-${at(0)}-2`,
    ])
  })

  it.each([
    ['dropped', '5'],
    ['dropped', -1],
    ['greatestId', 7],
    ['isEnding', 'yes'],
  ])('in a field of the library is an issue: %s %j', (field, value) => {
    const { issues } = parseConversationLog({ ...stored, [field]: value })
    expect(issues).toMatchObject([{ code: 'invalid-field', path: [field], value }])
  })

  it('that is a second active conversation is ended with its last message', () => {
    const { log: read, issues } = parseConversationLog(
      withConversations([{ ...first, endedAt: null }, active]),
    )
    expect(read.ended.chunks.flat()).toMatchObject([{ endedAt: at(0) }])
    expect(read.active).toEqual(active)
    expect(issues).toMatchObject([{ code: 'several-active', path: ['conversations', 0, 'endedAt'] }])
  })
})

it('reads an empty active conversation with the time of its start', () => {
  const { log: read } = parseConversationLog(withConversations([{ ...active, messages: [] }]))
  expect(outline(appendMessage(read, message('d', 63)).log)).toEqual([['d']])
  expect(appendMessage(read, message('d', 93)).ended).toMatchObject({ messages: [], endedAt: at(62) })
})

it('keeps the host’s own fields of a conversation', () => {
  const own = { ...first, pinned: true }
  expect(parseConversationLog(withConversations([own])).log.ended.chunks.flat()).toEqual([own])
})
