import { describe, expect, it } from 'vitest'
import {
  ConversationNotFoundError,
  type ConversationRow,
  ConversationRowError,
  hashTurns,
  isReplayState,
  isTerminalReplayState,
  ReplayLifecycleTransitionError,
  transitionReplay,
  upsertConversation,
} from '../../src/entries/identity.ts'

const turns = [{ role: 'user', text: 'Hello.' }, { role: 'agent' }] as const
const [first, later] = ['2026-05-22T08:00:00Z', '2026-05-23T08:00:00Z']

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  return undefined
}

describe('upsertConversation', () => {
  const row = upsertConversation(null, { name: 'greeting', turns, now: first })

  it('makes a row of new turns', () => {
    expect(row).toEqual({
      hash: hashTurns(turns),
      name: 'greeting',
      createdAt: first,
      lastRunAt: first,
      turns,
    })
  })

  it('takes the last name and the last time, and keeps the first time', () => {
    const renamed = upsertConversation(row, { name: 'welcome', turns, now: later })
    expect(renamed).toEqual({ ...row, name: 'welcome', lastRunAt: later })
  })

  it.each<[string, unknown, unknown, ConversationRowError['code'], readonly string[]]>([
    ['no object', null, null, 'invalid-value', []],
    ['no name', null, { turns, now: first }, 'invalid-value', ['name']],
    ['no list', null, { name: '', turns: {}, now: first }, 'invalid-value', ['turns']],
    ['no time', null, { name: '', turns, now: 'soon' }, 'invalid-value', ['now']],
    ['a time that is no ISO 8601', null, { name: '', turns, now: 'May 5 2026' }, 'invalid-value', ['now']],
    [
      'the row of other turns',
      row,
      { name: '', turns: [], now: first },
      'other-conversation',
      ['existing', 'hash'],
    ],
  ])('refuses %s with a code and a path', (_, existing, conversation, code, path) => {
    const error = errorOf(() =>
      upsertConversation(
        existing as ConversationRow,
        conversation as Parameters<typeof upsertConversation>[1],
      ),
    )
    expect(error).toBeInstanceOf(ConversationRowError)
    expect(error).toMatchObject({ code, path })
  })
})

it('a conversation that is not there has an error with its hash, or without a wrong one', () => {
  const path = ['conversation_hash']
  const hash = hashTurns(turns)
  expect(new ConversationNotFoundError(hash)).toMatchObject({ code: 'conversation-not-found', hash, path })
  expect(new ConversationNotFoundError('x').hash).toBeUndefined()
})

describe('transitionReplay', () => {
  it.each(['pending', 'completed', 'failed'] as const)('goes from pending to %s', (to) => {
    expect(transitionReplay('pending', to)).toBe(to)
  })

  it.each(
    (['completed', 'failed'] as const).flatMap((from) =>
      (['pending', 'completed', 'failed'] as const).map((to) => [from, to] as const),
    ),
  )('refuses to go from %s to %s', (from, to) => {
    const error = errorOf(() => transitionReplay(from, to))
    expect(error).toBeInstanceOf(ReplayLifecycleTransitionError)
    expect(error).toMatchObject({ code: 'terminal-state', path: ['from'], from, to })
    expect(isTerminalReplayState(from)).toBe(true)
  })

  it.each(['running', '', 'constructor', 7, null])('refuses %j as a state, with the argument', (value) => {
    const call = (from: unknown, to: unknown) =>
      errorOf(() => Reflect.apply(transitionReplay, undefined, [from, to]))
    expect(call(value, 'failed')).toMatchObject({ code: 'unknown-state', path: ['from'] })
    expect(call('pending', value)).toMatchObject({ code: 'unknown-state', path: ['to'] })
    expect([isReplayState(value), isTerminalReplayState(value)]).toEqual([false, false])
  })
})
