import { describe, expect, it } from 'vitest'
import {
  appendMessage,
  type ConversationMessage,
  createConversationLog,
  currentContext,
  sessionConversation,
} from '../../src/conversations/index.ts'
import {
  type ConversationBlock,
  createInitialConversationState,
  reduceSessionEvent,
} from '../../src/index.ts'
import { recording, recordings, replay } from '../formats/recordings.ts'
import { allSessions } from '../parity/sessions.ts'
import { stateOf } from '../selectors/agents.ts'
import { at } from './messages.ts'

/** Thousands of events. */
const SLOW = ['12-large']

const block = (id: string, rest: object): ConversationBlock =>
  ({ id, status: 'complete', conversationId: 'main', ...rest }) as ConversationBlock
const asked = (id: string, content: unknown, rest: object = {}) =>
  block(id, { type: 'user_message', content, ...rest })
const said = (id: string, content: string, rest: object = {}) =>
  block(id, { type: 'assistant_text', content, ...rest })
const called = (id: string, toolName: string, rest: object = {}) =>
  block(id, { type: 'tool_use', toolName, toolUseId: id, input: {}, ...rest })
const conversationOf = (...blocks: readonly ConversationBlock[]) =>
  sessionConversation(stateOf([], { blocks }), { now: at(0) })

describe('a session’s conversation', () => {
  it('has the person’s messages, and the model’s answers with their tools', () => {
    const conversation = conversationOf(
      asked('u1', 'Read it.', { timestamp: at(1) }),
      block('k', { type: 'thinking', content: 'Hm.', timestamp: at(2) }),
      said('t1', 'I shall.', { timestamp: at(2) }),
      called('r', 'Read', { timestamp: at(3) }),
      block('r:result', { type: 'tool_result', toolUseId: 'r', output: '', isError: false }),
      called('r2', 'Read'),
      block('subagent:s', { type: 'subagent', status: 'success', toolUseId: 's', input: '' }),
      said('t2', 'It says nothing.', { timestamp: at(4) }),
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

  it('tells of tools that nothing was said after', () => {
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

  it('ends where something is still being written', () => {
    const messages = conversationOf(
      asked('u1', 'Go.'),
      said('t1', 'First.'),
      said('t2', 'Sec', { status: 'pending' }),
      said('t3', 'Third.'),
    )?.messages
    expect(messages?.map(({ id }) => id)).toEqual(['u1', 't1'])
  })

  it('needs a time', () => {
    expect(() => sessionConversation(stateOf([]), { now: 'yesterday' })).toThrow(RangeError)
  })

  it('has the time of what came before where the stream tells none', () => {
    const messages = conversationOf(
      said('t1', 'Hello.'),
      asked('u1', 'Go.', { timestamp: at(5) }),
      said('t2', 'Done.'),
    )?.messages
    expect(messages?.map(({ timestamp }) => timestamp)).toEqual([at(0), at(5), at(5)])
  })

  it('has the time of what came before where the transcript tells one that is none', () => {
    const conversation = conversationOf(
      asked('u1', 'Go.', { timestamp: 'yesterday' }),
      called('r', 'Read', { timestamp: 'then' }),
      asked('u2', 'And?', { timestamp: at(5) }),
      said('t1', 'Done.', { timestamp: '' }),
    )
    const messages = conversation?.messages ?? []
    expect(conversation?.startedAt).toBe(at(0))
    expect(messages.map(({ timestamp }) => timestamp)).toEqual([at(0), at(0), at(5), at(5)])
    const log = messages.reduce((each, next) => appendMessage(each, next).log, createConversationLog())
    expect(currentContext(log)).toEqual(messages)
  })

  it('says where a picture or a file was', () => {
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

  it('is none where nobody has said anything, or nobody has the id', () => {
    expect(conversationOf()).toBeNull()
    expect(sessionConversation(stateOf([]), { conversationId: 'nobody', now: at(0) })).toBeNull()
  })

  it('can be a subagent’s', () => {
    const { state } = replay(recording('06-nested-forward').disk)
    const [outer] = state.subagents
    const conversation = sessionConversation(state, { conversationId: outer?.toolUseId ?? '', now: at(0) })
    expect(conversation?.messages[0]).toMatchObject({ role: 'user', content: outer?.prompt })
  })
})

describe.each(allSessions)('the conversation of $name', ({ stored }) => {
  it('goes into a log, where boundaries are drawn by its times', () => {
    const messages = sessionConversation(stored, { now: at(0) })?.messages ?? []
    const log = messages.reduce((each, next) => appendMessage(each, next).log, createConversationLog())
    const texts = stored.blocks.flatMap((each) => (each.type === 'assistant_text' ? each.content : []))
    expect(
      messages.flatMap((each) => (each.role === 'assistant' && each.content ? each.content : [])),
    ).toEqual(texts.filter((text) => text !== ''))
    expect(currentContext(log).at(-1)).toEqual(messages.at(-1))
  })
})

describe('as a session goes on', () => {
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
