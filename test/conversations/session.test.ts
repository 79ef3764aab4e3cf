import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  type ConversationMessage,
  createConversationLog,
  currentContext,
  sessionConversation,
} from '../../src/entries/conversations.ts'
import {
  type ConversationBlock,
  createInitialConversationState,
  reduceSessionEvent,
} from '../../src/entries/index.ts'
import { allSessions } from '../checks/parity/sessions.ts'
import { stateOf } from '../core/selectors/agents.ts'
import { recording, recordings, replay } from '../wires/recordings.ts'
import { at } from './messages.ts'

/** Thousands of events. */
const SLOW = ['12-large']

const block = (id: string, rest: object): ConversationBlock =>
  ({ id, status: 'complete', conversationId: 'main', ...rest }) as ConversationBlock
const asked = (id: string, content: unknown, rest: object = {}) =>
  block(id, { type: 'user_message', content, ...rest })
const reply = (id: string, content: string, rest: object = {}) =>
  block(id, { type: 'assistant_text', content, ...rest })
const called = (id: string, toolName: string, rest: object = {}) =>
  block(id, { type: 'tool_use', toolName, toolUseId: id, input: {}, ...rest })
const conversationOf = (...blocks: readonly ConversationBlock[]) =>
  sessionConversation(stateOf([], { blocks }), { now: at(0) })

describe('a session’s conversation', () => {
  it('has the user’s messages, and the model’s answers with their tools', () => {
    const conversation = conversationOf(
      asked('u1', 'Read it.', { timestamp: at(1) }),
      block('k', { type: 'thinking', content: 'Hm.', timestamp: at(2) }),
      reply('t1', 'I shall.', { timestamp: at(2) }),
      called('r', 'Read', { timestamp: at(3) }),
      block('r:result', { type: 'tool_result', toolUseId: 'r', output: '', isError: false }),
      called('r2', 'Read'),
      block('subagent:s', { type: 'subagent', status: 'success', toolUseId: 's', input: '' }),
      reply('t2', 'It says nothing.', { timestamp: at(4) }),
      asked('note', 'Reminder.', { origin: 'meta', timestamp: at(5) }),
      asked('u2', 'Thanks.', { timestamp: at(6) }),
    )
    expect(conversation).toEqual({
      id: `conv-${at(1)}`,
      startedAt: at(1),
      endedAt: null,
      title: null,
      summary: null,
      messages: [
        { id: 'u1', timestamp: at(1), role: 'user', content: 'Read it.' },
        { id: 't1', timestamp: at(2), role: 'assistant', content: 'I shall.' },
        {
          id: 't2',
          timestamp: at(4),
          role: 'assistant',
          content: 'It says nothing.',
          toolsUsed: ['Read', 'Agent'],
        },
        { id: 'u2', timestamp: at(6), role: 'user', content: 'Thanks.' },
      ],
    })
  })

  it('names the tool of the program that starts agents', () => {
    const blocks = [
      block('s', { type: 'subagent', status: 'success', toolUseId: 's', input: '' }),
      reply('t1', 'Done.'),
    ]
    const state = { ...createInitialConversationState(), session: { program: 'opencode' }, blocks }
    expect(sessionConversation(state, { now: at(0) })?.messages[0]?.toolsUsed).toEqual(['task'])
  })

  it('has a message for tool calls without a text after them', () => {
    const messages = conversationOf(
      asked('u1', 'Go.', { timestamp: at(0) }),
      called('r', 'Read', { timestamp: at(1) }),
      asked('u2', 'And?', { timestamp: at(2) }),
    )?.messages
    expect(messages?.[1]).toEqual({
      id: 'r',
      timestamp: at(1),
      role: 'assistant',
      content: '',
      toolsUsed: ['Read'],
    })
  })

  it('ends before the first pending block', () => {
    const messages = conversationOf(
      asked('u1', 'Go.'),
      reply('t1', 'First.'),
      reply('t2', 'Sec', { status: 'pending' }),
      reply('t3', 'Third.'),
    )?.messages
    expect(messages?.map(({ id }) => id)).toEqual(['u1', 't1'])
  })

  it('ends before the first block that may go on after a cut', () => {
    const blocks = [asked('u1', 'Go.'), reply('t1', 'First.'), reply('t2', 'Sec')]
    const turn = { status: 'interrupted', openBlocks: ['t2'] } as const
    const conversation = sessionConversation(stateOf([], { blocks, turn }), { now: at(0) })
    expect(conversation?.messages.map(({ id }) => id)).toEqual(['u1', 't1'])
  })

  it('needs a time', () => {
    expect(() => sessionConversation(stateOf([]), { now: 'yesterday' })).toThrow(RangeError)
  })

  it('uses the time of the previous message if the stream has none', () => {
    const messages = conversationOf(
      reply('t1', 'Hello.'),
      asked('u1', 'Go.', { timestamp: at(5) }),
      reply('t2', 'Done.'),
    )?.messages
    expect(messages?.map(({ timestamp }) => timestamp)).toEqual([at(0), at(5), at(5)])
  })

  it('uses the time of the previous message if the transcript has an invalid one', () => {
    const conversation = conversationOf(
      asked('u1', 'Go.', { timestamp: 'yesterday' }),
      called('r', 'Read', { timestamp: 'then' }),
      asked('u2', 'And?', { timestamp: at(5) }),
      reply('t1', 'Done.', { timestamp: '' }),
    )
    const messages = conversation?.messages ?? []
    expect(conversation?.startedAt).toBe(at(0))
    expect(messages.map(({ timestamp }) => timestamp)).toEqual([at(0), at(0), at(5), at(5)])
    const log = messages.reduce((each, next) => appendMessage(each, next).log, createConversationLog())
    expect(currentContext(log)).toEqual(messages)
  })

  it('shows the place of an image or a file', () => {
    const source = { type: 'url', url: 'x' }
    const content = [
      { type: 'text', text: 'Look:' },
      { type: 'image', source },
      { type: 'file', source, name: 'a.pdf' },
      { type: 'file', source },
    ]
    expect(conversationOf(asked('u1', content))?.messages[0]?.content).toBe(
      'Look:\n[image]\n[file a.pdf]\n[file]',
    )
  })

  it('is null if there is no message, or no conversation with the id', () => {
    expect(conversationOf()).toBeNull()
    expect(sessionConversation(stateOf([]), { conversationId: 'nobody', now: at(0) })).toBeNull()
  })

  it('can be the conversation of a subagent', () => {
    const { state } = replay(recording('06-nested-forward').disk)
    const [outer] = state.subagents
    const conversation = sessionConversation(state, { conversationId: outer?.toolUseId ?? '', now: at(0) })
    expect(conversation?.messages[0]).toMatchObject({ role: 'user', content: outer?.prompt })
  })
})

describe.each(allSessions)('the conversation of $name', ({ stored }) => {
  it('fits into a log, which sets the boundaries by time', () => {
    const messages = sessionConversation(stored, { now: at(0) })?.messages ?? []
    const log = messages.reduce((each, next) => appendMessage(each, next).log, createConversationLog())
    const texts = stored.blocks.flatMap((each) => (each.type === 'assistant_text' ? each.content : []))
    expect(
      messages.flatMap((each) => (each.role === 'assistant' && each.content ? each.content : [])),
    ).toEqual(texts.filter((text) => text !== ''))
    expect(currentContext(log).at(-1)).toEqual(messages.at(-1))
  })
})

describe('while a session runs', () => {
  it.each(recordings.filter(({ name }) => !SLOW.includes(name)))(
    'messages are only added: $name',
    ({ stream }) => {
      let state = createInitialConversationState()
      let before: readonly ConversationMessage[] = []
      for (const event of replay(stream).events) {
        state = reduceSessionEvent(state, event)
        const messages = sessionConversation(state, { now: at(0) })?.messages ?? []
        expect(messages.slice(0, before.length)).toEqual(before)
        before = messages
      }
    },
  )
})
