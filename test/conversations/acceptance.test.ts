import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  attachSummary,
  conversationsToSummarize,
  conversationTools,
  createConversationLog,
  currentContext,
  endConversation,
  handleConversationTool,
  readEndSignal,
  summaryRequest,
} from '../../src/entries/conversations.ts'
import { at, chat, idsIn, message, outline } from './messages.ts'

// Each criterion of "Conversation Boundaries and Lifecycle", in its own words.
describe('acceptance criteria', () => {
  it('Messages within idle timeout belong to same conversation', () => {
    const { log } = chat([message('a', 0), message('b', 29), message('c', 59), message('d', 90)])
    expect(outline(log)).toEqual([['a', 'b', 'c'], ['d']])
  })

  it('Idle timeout is configurable', () => {
    const messages = [message('a', 0), message('b', 6), message('c', 12)]
    expect(outline(chat(messages, { conversationIdleTimeoutMinutes: 5 }).log)).toEqual([['a'], ['b'], ['c']])
    expect(outline(chat(messages, { conversationIdleTimeoutMinutes: 6 }).log)).toEqual([['a', 'b', 'c']])
  })

  it('Agent can explicitly end a conversation: by a tool call, and its reply is the last message', () => {
    const { log } = chat([message('a', 0)])
    const handled = handleConversationTool(log, { name: 'end_conversation', input: {} })
    expect(handled.result).toEqual({ content: 'The conversation ends with your reply.', isError: false })
    const { log: next, ended } = appendMessage(handled.log, message('bye', 1, { role: 'assistant' }))
    expect(ended).toMatchObject({ endedAt: at(1), messages: [{ id: 'a' }, { id: 'bye' }] })
    expect(outline(appendMessage(next, message('b', 2)).log)).toEqual([['a', 'bye'], ['b']])
  })

  it('Agent can explicitly end a conversation: by a tool call, also without a reply', () => {
    const { log } = chat([message('a', 0), message('bye', 1, { role: 'assistant' })])
    const handled = handleConversationTool(log, { name: 'end_conversation', input: {} })
    const { log: next, ended } = appendMessage(handled.log, message('b', 2))
    expect(ended).toMatchObject({ endedAt: at(1), messages: [{ id: 'a' }, { id: 'bye' }] })
    expect(outline(next)).toEqual([['a', 'bye'], ['b']])
    expect(next.isEnding).toBe(false)
  })

  it('Agent can explicitly end a conversation: by a signal in its response', () => {
    const { content, isEnd } = readEndSignal('Good bye.\n\n<end_conversation/>\n')
    expect([content, isEnd]).toEqual(['Good bye.', true])
    const { log } = chat([message('a', 0), message('b', 1, { role: 'assistant', content })])
    expect(endConversation(log, at(1)).ended?.messages.at(-1)?.content).toBe('Good bye.')
    expect(readEndSignal('What <end_conversation/> means')).toEqual({
      content: 'What <end_conversation/> means',
      isEnd: false,
    })
  })

  it('User can request agent to end conversation', () => {
    const [tool] = conversationTools
    expect(tool?.name).toBe('end_conversation')
    expect(tool?.description).toContain('when the user asks')
    const { log } = chat([message('a', 0, { content: 'That’s all.' })])
    expect(endConversation(log, at(1)).log.active).toBeNull()
  })

  it('Summary generated immediately when conversation ends: the host gets the ended conversation at once', () => {
    const { log } = chat([message('a', 0)])
    const byTimeout = appendMessage(log, message('b', 31))
    const byHand = endConversation(log, at(1))
    for (const { ended, log: next } of [byTimeout, byHand]) {
      expect(ended && idsIn(ended)).toEqual(['a'])
      expect(conversationsToSummarize(next)).toEqual([ended])
      const { log: summarised } = attachSummary(next, ended?.id ?? '', { title: 'A', summary: 'About a.' })
      expect(conversationsToSummarize(summarised)).toEqual([])
    }
  })

  it('Summary uses user’s configured model', () => {
    const { log } = chat([message('a', 0, { toolsUsed: ['Read'] })])
    const { ended } = endConversation(log, at(1))
    const request = ended && summaryRequest(ended, { model: 'the-users-own' })
    expect(request).toMatchObject({ model: 'the-users-own', conversationId: ended?.id })
    for (const asked of ['topics', 'actions', 'title', 'summary']) expect(request?.system).toContain(asked)
    expect(request?.prompt).toContain(`[${at(0)}] user (tools: Read): a.`)
  })

  it('New conversations start silently: a message is enough, and only its conversation is new', () => {
    const { log, steps } = chat([message('a', 0), message('b', 31)])
    expect(steps.map(({ ended }) => ended?.messages.length ?? null)).toEqual([null, 1])
    expect(log.active).toEqual({
      id: `conv-${at(31)}`,
      startedAt: at(31),
      endedAt: null,
      title: null,
      summary: null,
      messages: [message('b', 31)],
    })
  })

  it('Rolling limit of conversations retained', () => {
    const messages = Array.from({ length: 1010 }, (_, each) => message(`m${each}`, 31 * each))
    expect(outline(chat(messages).log)).toHaveLength(1000)
    expect(outline(chat(messages, { maxConversationsRetained: 3 }).log)).toEqual([
      ['m1007'],
      ['m1008'],
      ['m1009'],
    ])
  })

  it('Oldest conversations deleted when limit exceeded', () => {
    const messages = [message('a', 0), message('b', 31), message('c', 62)]
    const { steps } = chat(messages, { maxConversationsRetained: 2 })
    expect(steps.map(({ dropped }) => dropped.map(idsIn))).toEqual([[], [], [['a']]])
  })

  it('Only current conversation in LLM system prompt', () => {
    const { log } = chat([message('a', 0), message('b', 31), message('c', 32)])
    expect(currentContext(log)).toEqual([message('b', 31), message('c', 32)])
    expect(currentContext(endConversation(log, at(33)).log)).toEqual([])
    expect(currentContext(createConversationLog())).toEqual([])
  })

  it('Past conversations accessible only via tool (get_conversation)', () => {
    const { log } = chat([message('a', 0), message('b', 31)])
    const look = (input: unknown) => handleConversationTool(log, { name: 'get_conversation', input }).result
    const [past] = JSON.parse(look({}).content)
    expect(past).toMatchObject({ id: `conv-${at(0)}`, messages: 1 })
    expect(JSON.parse(look({ conversation_id: past.id }).content).messages).toEqual([message('a', 0)])
    expect(JSON.stringify(currentContext(log))).not.toContain('a.')
  })
})
