import { describe, expect, it } from 'vitest'
import type { SessionConversationState } from '../../src/index.ts'
import { fold, spawn } from '../reducer/example.ts'
import { identify, identityOf, said, user } from './prompts-and-responses.ts'

describe('the state', () => {
  it('is not changed, and may be frozen or come as JSON', () => {
    const state = fold(user('u1', 'Go.'), said('m1:0', 'Done.'), spawn('S'), said('s1:0', 'Seen.', 'S'))
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
      said(`n${at}:0`, 'Yes.'),
    ])
    const state = fold(user('u', 'Go.'), said('m1:0', 'Done.'), ...blocks.flat())
    expect(identify(state)).toEqual(identityOf('Go.', 'Done.'))
  })
})

describe('the agent type', () => {
  it('is part of the identity: one prompt and answer are two conversations for two kinds of agents', () => {
    const state = fold(user('u1', 'Go.'), said('m1:0', 'Done.'))
    const other = identify(state, { agentTypeHash: 'fedcba9876543210' })
    expect(other?.agentTypeHash).toBe('fedcba9876543210')
    expect(other?.conversationHash).not.toBe(identify(state)?.conversationHash)
    expect(other?.firstUserMessageHash).toBe(identify(state)?.firstUserMessageHash)
  })
})
