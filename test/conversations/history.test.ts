import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  attachSummary,
  conversationsToSummarize,
  createConversationLog,
  migrateHistory,
  pastConversations,
  summaryRequest,
} from '../../src/entries/conversations.ts'
import { at, chat, message, nested, outline, someMessages } from './messages.ts'

const empty = createConversationLog()
const history = [message('a', 0), message('b', 500, { role: 'assistant' })]

describe('a history', () => {
  it('becomes one ended conversation that can be summarized', () => {
    const { log, migrated, issues } = migrateHistory(empty, history)
    expect(migrated).toEqual({
      id: `conv-${at(0)}`,
      startedAt: at(0),
      endedAt: at(500),
      title: null,
      summary: null,
      messages: history,
    })
    expect(pastConversations(log)).toEqual([migrated])
    expect(issues).toEqual([])
    expect(conversationsToSummarize(log)).toEqual([migrated])
    expect(migrated && summaryRequest(migrated, { model: 'm' }).prompt).toContain('a.')
  })

  it('comes before later conversations', () => {
    const { log } = migrateHistory(chat([message('c', 1000), message('d', 2000)]).log, history)
    expect(outline(log)).toEqual([['a', 'b'], ['c'], ['d']])
    expect(outline(appendMessage(log, message('e', 2001)).log)).toEqual([['a', 'b'], ['c'], ['d', 'e']])
  })

  it('loses nothing, and a second run changes nothing', () => {
    fc.assert(
      fc.property(someMessages, someMessages, (old, since) => {
        const before = chat(since, { conversationIdleTimeoutMinutes: 1e6 }).log
        const { log } = migrateHistory(before, old)
        const ids = new Set(outline(log).flat())
        expect(old.every(({ id }) => ids.has(id))).toBe(true)
        expect(migrateHistory(log, old).log).toBe(log)
      }),
    )
  })

  it('changes nothing the second time, also after its summary', () => {
    const { log, migrated } = migrateHistory(empty, history)
    const { log: summarised } = attachSummary(log, migrated?.id ?? '', { title: 'T', summary: 'S' })
    expect(migrateHistory(summarised, history).log).toBe(summarised)
  })

  it('does not return after it has been dropped', () => {
    const { log } = migrateHistory(empty, history)
    const later = appendMessage(log, message('c', 1000), { maxConversationsRetained: 1 })
    expect(later.dropped).toHaveLength(1)
    const again = migrateHistory(later.log, history)
    expect(again.log).toBe(later.log)
    expect(again).toMatchObject({ migrated: null, issues: [{ code: 'dropped-history', value: history }] })
  })

  it('has a unique id next to a conversation with the same start', () => {
    const { log } = migrateHistory(chat([message('x', 0)]).log, history)
    expect(pastConversations(log).map(({ id }) => id)).toEqual([`conv-${at(0)}-2`])
  })

  it('may have messages without ids, and may lose its beginning before the next run', () => {
    const unnamed = [message('a', 0), message('b', 1), message('b', 1)].map(({ id: _, ...rest }) => rest)
    const { log, migrated } = migrateHistory(empty, unnamed)
    expect(migrated?.messages).toMatchObject(unnamed)
    expect(migrateHistory(log, unnamed).log).toBe(log)
    expect(migrateHistory(log, unnamed.slice(1)).log).toBe(log)
  })

  it('that has grown since adds its new messages after the old ones', () => {
    const { log } = migrateHistory(empty, history)
    const { log: grown } = migrateHistory(log, [...history, message('c', 600)])
    expect(outline(grown)).toEqual([['a', 'b'], ['c']])
  })

  it('reports invalid entries and reads the rest', () => {
    const { migrated, issues } = migrateHistory(empty, [{ text: 'old' }, ...history])
    expect(migrated?.messages).toEqual(history)
    expect(issues).toEqual([
      {
        code: 'invalid-message',
        path: [0, 'timestamp'],
        expected: 'an ISO 8601 time',
        value: { text: 'old' },
      },
    ])
  })

  it.each<[string, string, unknown]>([
    ['timestamp', 'an object whose text is none', { toString: 1 }],
    ['timestamp', 'a deep list', nested(100_000)],
    ['timestamp', 'a symbol', Symbol('then')],
    ['role', 'an object whose text is none', { toString: 1 }],
  ])('reads on after an entry without an id whose %s is %s', (field, _, value) => {
    const { id: _id, ...entry } = { ...message('x', 0), [field]: value }
    const { migrated, issues } = migrateHistory(empty, [entry, ...history])
    expect(migrated?.messages).toEqual(history)
    expect(issues).toMatchObject([{ code: 'invalid-message', path: [0, field] }])
    expect(issues[0]?.value).toBe(entry)
  })

  it('that is empty changes nothing', () => {
    expect(migrateHistory(empty, []).log).toBe(empty)
  })
})
