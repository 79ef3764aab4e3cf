import fc from 'fast-check'
import { castDraft, produce } from 'immer'
import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  attachSummary,
  type ConversationLog,
  type ConversationMessage,
  createConversationLog,
  endConversation,
  getConversation,
  handleConversationTool,
  parseConversationLog,
  pastConversations,
  recentConversations,
  serializeConversationLog,
} from '../../src/entries/conversations.ts'
import { deepFreeze } from '../objects.ts'
import { anyMessage, at, chat, someMessages } from './messages.ts'

/** One action of a host: append a message, end the conversation, call the end tool, or attach a summary. */
type Deed = (log: ConversationLog) => ConversationLog

const deed: fc.Arbitrary<Deed> = fc.oneof(
  {
    weight: 4,
    arbitrary: anyMessage.map(
      (each): Deed =>
        (log) =>
          appendMessage(log, each).log,
    ),
  },
  fc.integer({ min: 0, max: 200 }).map(
    (now): Deed =>
      (log) =>
        endConversation(log, at(now)).log,
  ),
  fc.constant<Deed>((log) => handleConversationTool(log, { name: 'end_conversation', input: {} }).log),
  fc.nat(5).map(
    (which): Deed =>
      (log) => {
        const id = pastConversations(log)[which]?.id ?? ''
        return attachSummary(log, id, { title: 'T', summary: 'S' }).log
      },
  ),
)
const deeds = fc.array(deed, { maxLength: 25 })
const logOf = (done: readonly Deed[]) => done.reduce((log, next) => next(log), createConversationLog())
const all = (log: ConversationLog) => [...pastConversations(log), ...(log.active ? [log.active] : [])]
const messagesIn = (log: ConversationLog) => all(log).flatMap(({ messages }) => messages)

describe('a log', () => {
  it('keeps all messages in order, whatever their times', () => {
    fc.assert(
      fc.property(someMessages, (messages) => {
        expect(messagesIn(chat(messages).log)).toEqual(messages)
      }),
    )
  })

  it('has conversations with messages, with an end if they ended, and with unique ids', () => {
    fc.assert(
      fc.property(deeds, (done) => {
        const log = logOf(done)
        expect(all(log).every(({ messages }) => messages.length > 0)).toBe(true)
        expect(pastConversations(log).every(({ endedAt }) => endedAt !== null)).toBe(true)
        expect(new Set(all(log).map(({ id }) => id)).size).toBe(all(log).length)
        for (const each of all(log)) expect(getConversation(log, each.id)).toBe(each)
        expect(recentConversations(log, 99)).toEqual([...pastConversations(log)].reverse())
      }),
    )
  })

  it('has gaps longer than the timeout between conversations, and none within one', () => {
    const inOrder = someMessages.map((messages) =>
      [...messages].sort((left, right) => Date.parse(left.timestamp) - Date.parse(right.timestamp)),
    )
    fc.assert(
      fc.property(inOrder, (messages) => {
        const log = chat(messages).log
        for (const { messages: own } of all(log))
          for (const [place, each] of own.slice(1).entries())
            expect(minutesFrom(own[place]?.timestamp ?? null, each)).toBeLessThanOrEqual(30)
        for (const [place, { messages: own }] of all(log).slice(1).entries())
          expect(minutesFrom(all(log)[place]?.endedAt ?? null, own[0])).toBeGreaterThan(30)
      }),
    )
  })

  it('begins no conversation within the timeout', () => {
    fc.assert(
      fc.property(someMessages, (messages) => {
        for (const [place, { ended }] of chat(messages).steps.entries())
          if (ended)
            expect(minutesFrom(messages[place - 1]?.timestamp ?? null, messages[place])).toBeGreaterThan(30)
      }),
    )
  })

  it('is the same after a replay', () => {
    fc.assert(
      fc.property(deeds, (done) => {
        expect(logOf(done)).toStrictEqual(logOf(done))
      }),
    )
  })

  it('is the same after a round trip through JSON, and continues the same way', () => {
    fc.assert(
      fc.property(deeds, deeds, fc.constantFrom(undefined, 1, 2, 3), (before, after, max) => {
        const settings = max === undefined ? {} : { maxConversationsRetained: max }
        const log = appendMessage(
          logOf(before),
          { id: 'm', timestamp: at(0), role: 'user', content: '' },
          settings,
        ).log
        const stored = JSON.parse(JSON.stringify(serializeConversationLog(log)))
        const { log: read, issues } = parseConversationLog(stored)
        expect(issues).toEqual([])
        expect(read).toStrictEqual(log)
        expect(after.reduce((each, next) => next(each), read)).toStrictEqual(
          after.reduce((each, next) => next(each), log),
        )
      }),
    )
  })

  it('changes neither the old log nor the messages', () => {
    fc.assert(
      fc.property(deeds, someMessages, (done, messages) => {
        const log = deepFreeze(logOf(done))
        const { log: next } = chat(deepFreeze(structuredClone(messages)), {}, log)
        expect(messagesIn(next)).toEqual([...messagesIn(log), ...messages])
      }),
    )
  })

  it('freezes no object of the host', () => {
    fc.assert(
      fc.property(someMessages, (messages) => {
        chat(messages)
        expect(messages.flatMap((each) => [each, each.toolsUsed ?? []]).filter(Object.isFrozen)).toEqual([])
      }),
    )
  })

  it('may be part of a state that the host updates with immer', () => {
    fc.assert(
      fc.property(deeds, (done) => {
        const state = done.reduce(
          (before, next) =>
            produce(before, (draft) => {
              draft.log = castDraft(next(draft.log))
            }),
          { log: createConversationLog() },
        )
        expect(state.log).toStrictEqual(logOf(done))
      }),
    )
  })

  it('keeps the reference of every conversation that a message does not touch', () => {
    fc.assert(
      fc.property(deeds, anyMessage, (done, each) => {
        const log = logOf(done)
        const next = appendMessage(log, each).log
        expect(pastConversations(next).slice(0, log.ended.count)).toEqual(pastConversations(log))
        for (const [place, conversation] of pastConversations(log).entries())
          expect(pastConversations(next)[place]).toBe(conversation)
        if (next.ended.count === log.ended.count) expect(next.ended).toBe(log.ended)
      }),
    )
  })
})

function minutesFrom(earlier: string | null, message: ConversationMessage | undefined): number {
  return (Date.parse(message?.timestamp ?? '') - Date.parse(earlier ?? '')) / 60_000
}
