import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'
import { delta, fold, idle, remove, spawn, statesOf, upsert, usage } from '../../core/reducer/example.ts'
import { called, EMPTY, identify, identityOf, reply, thought, user } from './prompts-and-responses.ts'

const answered = (toolUseId: string): SessionEvent => {
  const block: IncomingBlock = {
    id: `${toolUseId}:result`,
    type: 'tool_result',
    status: 'complete',
    toolUseId,
    output: 'out',
    isError: false,
  }
  return upsert(block)
}

describe('the first response', () => {
  const asked = user('u1', 'Go.')

  it('is unknown at first', () => {
    expect(identify(fold())).toBeNull()
    expect(identify(fold(asked))).toBeNull()
    expect(identify(fold(), { firstUserText: 'Go.' })).toBeNull()
  })

  it('is unknown while its text streams, and known at its end', () => {
    const states = statesOf([
      asked,
      reply('m1:0', '', 'main', 'pending'),
      delta('m1:0', 'Do'),
      usage('m1', 1, { final: false }),
      delta('m1:0', 'ne.'),
      reply('m1:0', 'Done.'),
      usage('m1', 5),
    ])
    expect(states.map((state) => identify(state))).toEqual([
      ...[null, null, null, null, null, null],
      ...[identityOf('Go.', 'Done.'), identityOf('Go.', 'Done.')],
    ])
  })

  it('is known when the turn ends and leaves it open', () => {
    const state = fold(asked, reply('m1:0', 'Do', 'main', 'pending'), idle())
    expect(identify(state)).toEqual(identityOf('Go.', 'Do'))
  })

  it('is the text so far if it failed', () => {
    expect(identify(fold(asked, reply('m1:0', 'Do', 'main', 'error')))).toEqual(identityOf('Go.', 'Do'))
  })

  it('is the first text of the first message, after its thinking and its calls', () => {
    const state = fold(
      asked,
      thought('m1:0'),
      called('m1:1'),
      reply('m1:2', 'First.'),
      reply('m1:3', 'Second.'),
    )
    expect(identify(state)).toEqual(identityOf('Go.', 'First.'))
  })

  it('is trimmed, and cut after 500 UTF-16 units', () => {
    const long = `\n ${'a'.repeat(499)}😀 and more`
    expect(identify(fold(asked, reply('m1:0', long)))).toEqual(identityOf('Go.', `${'a'.repeat(499)}\ufffd`))
  })

  it('does not depend on text after 500 units', () => {
    const state = (end: string) => fold(asked, reply('m1:0', 'a'.repeat(500) + end))
    expect(identify(state('b'))).toEqual(identify(state('c')))
  })

  it('is the empty text if the text is empty', () => {
    expect(identify(fold(asked, reply('m1:0', '')))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(asked, reply('m1:0', ' \n')))?.firstAssistantResponseHash).toBe(EMPTY)
  })

  it('is the empty text if the first message has only calls and has ended', () => {
    const calls = [asked, called('m1:0'), called('m1:1')]
    expect(identify(fold(...calls, usage('m1', 5)))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(...calls, usage('m1', 5), answered('m1:0'), reply('m2:0', 'Done.')))).toEqual(
      identityOf('Go.', ''),
    )
  })

  it('is the empty text if the first message only starts a subagent', () => {
    const state = fold(asked, spawn('S', { messageId: 'm1' }), usage('m1', 5), reply('m2:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', ''))
  })

  it('is never the second message’s text, even if the first one has no tokens', () => {
    const state = fold(asked, called('m1:0'), answered('m1:0'), reply('m2:0', 'Done.'), usage('m2', 5))
    expect(identify(state)).toEqual(identityOf('Go.', ''))
    expect(identify(fold(asked, called('m1:0'), usage('m1', 1, { final: false })))).toBeNull()
  })

  it('does not end with another message or another conversation', () => {
    const state = fold(
      spawn('S'),
      asked,
      called('m1:0'),
      usage('m2', 5),
      usage('m1', 5, { conversationId: 'S' }),
    )
    expect(identify(state)).toBeNull()
  })

  it('never changes later', () => {
    const identity = identityOf('Go.', 'Done.')
    const later = [
      user('u2', 'More.'),
      reply('m2:0', 'Yes.'),
      reply('m1:1', 'And.'),
      usage('m1', 7),
      spawn('S'),
      user('c', 'Summary.', { origin: 'summary' }),
      idle(),
    ]
    const states = statesOf([asked, reply('m1:0', 'Done.'), ...later]).slice(2)
    expect(states.map((state) => identify(state))).toEqual(states.map(() => identity))
  })

  it('is the next one if the first was withdrawn', () => {
    const state = fold(asked, reply('m1:0', 'Oops.'), remove('m1:0'), reply('m2:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })
})
