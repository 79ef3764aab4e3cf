import { describe, expect, it } from 'vitest'
import type { IncomingBlock, SessionEvent } from '../../src/index.ts'
import { delta, fold, idle, remove, spawn, statesOf, upsert, usage } from '../reducer/example.ts'
import { called, EMPTY, identify, identityOf, said, thought, user } from './prompts-and-responses.ts'

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

  it('is not there yet', () => {
    expect(identify(fold())).toBeNull()
    expect(identify(fold(asked))).toBeNull()
    expect(identify(fold(), { firstUserText: 'Go.' })).toBeNull()
  })

  it('is not there while its text is streaming, and there at its end', () => {
    const states = statesOf([
      asked,
      said('m1:0', '', 'main', 'pending'),
      delta('m1:0', 'Do'),
      usage('m1', 1, { final: false }),
      delta('m1:0', 'ne.'),
      said('m1:0', 'Done.'),
      usage('m1', 5),
    ])
    expect(states.map((state) => identify(state))).toEqual([
      ...[null, null, null, null, null, null],
      ...[identityOf('Go.', 'Done.'), identityOf('Go.', 'Done.')],
    ])
  })

  it('is there when a turn ends that left it open', () => {
    const state = fold(asked, said('m1:0', 'Do', 'main', 'pending'), idle())
    expect(identify(state)).toEqual(identityOf('Go.', 'Do'))
  })

  it('is what was said of it where it failed', () => {
    expect(identify(fold(asked, said('m1:0', 'Do', 'main', 'error')))).toEqual(identityOf('Go.', 'Do'))
  })

  it('is the first text of the first message, behind its thinking and its calls', () => {
    const state = fold(
      asked,
      thought('m1:0'),
      called('m1:1'),
      said('m1:2', 'First.'),
      said('m1:3', 'Second.'),
    )
    expect(identify(state)).toEqual(identityOf('Go.', 'First.'))
  })

  it('is trimmed, and cut after 500 UTF-16 units', () => {
    const long = `\n ${'a'.repeat(499)}😀 and more`
    expect(identify(fold(asked, said('m1:0', long)))).toEqual(identityOf('Go.', `${'a'.repeat(499)}\ufffd`))
  })

  it('does not change with what comes behind 500 units', () => {
    const state = (end: string) => fold(asked, said('m1:0', 'a'.repeat(500) + end))
    expect(identify(state('b'))).toEqual(identify(state('c')))
  })

  it('is the empty text where the text is empty', () => {
    expect(identify(fold(asked, said('m1:0', '')))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(asked, said('m1:0', ' \n')))?.firstAssistantResponseHash).toBe(EMPTY)
  })

  it('is the empty text where the first message is calls only, and known to have ended', () => {
    const calls = [asked, called('m1:0'), called('m1:1')]
    expect(identify(fold(...calls, usage('m1', 5)))).toEqual(identityOf('Go.', ''))
    expect(identify(fold(...calls, usage('m1', 5), answered('m1:0'), said('m2:0', 'Done.')))).toEqual(
      identityOf('Go.', ''),
    )
  })

  it('is the empty text where the first message starts a subagent and says nothing', () => {
    const state = fold(asked, spawn('S', { messageId: 'm1' }), usage('m1', 5), said('m2:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', ''))
  })

  it('is never the second message’s text, though the first one’s is not known', () => {
    const state = fold(asked, called('m1:0'), answered('m1:0'), said('m2:0', 'Done.'), usage('m2', 5))
    expect(identify(state)).toBeNull()
    expect(identify(fold(asked, called('m1:0'), usage('m1', 1, { final: false })))).toBeNull()
  })

  it('does not take the end of another message, or of another conversation, for its own', () => {
    const state = fold(
      spawn('S'),
      asked,
      called('m1:0'),
      usage('m2', 5),
      usage('m1', 5, { conversationId: 'S' }),
    )
    expect(identify(state)).toBeNull()
  })

  it('stays what it was, whatever comes later', () => {
    const identity = identityOf('Go.', 'Done.')
    const later = [
      user('u2', 'More.'),
      said('m2:0', 'Yes.'),
      said('m1:1', 'And.'),
      usage('m1', 7),
      spawn('S'),
      user('c', 'Summary.', { origin: 'summary' }),
      idle(),
    ]
    const states = statesOf([asked, said('m1:0', 'Done.'), ...later]).slice(2)
    expect(states.map((state) => identify(state))).toEqual(states.map(() => identity))
  })

  it('is the next one where the first was taken back', () => {
    const state = fold(asked, said('m1:0', 'Oops.'), remove('m1:0'), said('m2:0', 'Done.'))
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })
})
