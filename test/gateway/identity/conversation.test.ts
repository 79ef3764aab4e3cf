import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import { fold, spawn } from '../../core/reducer/example.ts'
import { identify, identityOf, reply, user } from './prompts-and-responses.ts'

describe('the state', () => {
  it('does not change, and may be frozen or come from JSON', () => {
    const state = fold(user('u1', 'Go.'), reply('m1:0', 'Done.'), spawn('S'), reply('s1:0', 'Seen.', 'S'))
    const text = JSON.stringify(state)
    const copy: SessionConversationState = JSON.parse(text)
    for (const conversationId of ['main', 'S'])
      expect(identify(copy, { conversationId })).toEqual(identify(state, { conversationId }))
    expect(JSON.stringify(state)).toBe(text)
    expect(JSON.stringify(copy)).toBe(text)
  })

  it('may be large: a session of 20,000 blocks', () => {
    const blocks = Array.from({ length: 10_000 }, (_, at) => [
      user(`u${at}`, 'More.'),
      reply(`n${at}:0`, 'Yes.'),
    ])
    const state = fold(user('u', 'Go.'), reply('m1:0', 'Done.'), ...blocks.flat())
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })
})

describe('the agent type', () => {
  it('is part of the identity: the same prompt and answer give two identities for two types', () => {
    const state = fold(user('u1', 'Go.'), reply('m1:0', 'Done.'))
    const other = identify(state, { agentTypeHash: 'fedcba9876543210' })
    expect(other?.agentTypeHash).toBe('fedcba9876543210')
    expect(other?.conversationHash).not.toBe(identify(state)?.conversationHash)
    expect(other?.firstUserMessageHash).toBe(identify(state)?.firstUserMessageHash)
  })
})
