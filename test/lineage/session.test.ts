import { describe, expect, it } from 'vitest'
import {
  type Claims,
  createClaim,
  hashUserMessage,
  identifyConversation,
  identifySession,
  matchClaim,
  sessionClaims,
} from '../../src/index.ts'
import { allSessions } from '../parity/sessions.ts'
import { fold } from '../reducer/example.ts'
import { recording, replay } from '../sources/recordings.ts'

const agentTypeHash = 'type'

describe('identifySession', () => {
  const { disk, stream } = recording('06-nested-forward')
  const stored = replay(disk).state

  it('tells every conversation and its parent', () => {
    const [main, outer, inner] = identifySession(stored, { agentTypeHash })
    expect(main).toMatchObject({ conversationId: 'main', parentConversationHash: null })
    expect(outer).toMatchObject({
      name: 'general-purpose',
      parentConversationId: 'main',
      parentConversationHash: main?.identity?.conversationHash,
    })
    expect(inner).toMatchObject({
      parentConversationId: outer?.conversationId,
      parentConversationHash: outer?.identity?.conversationHash,
    })
    expect(inner?.identity).toEqual(
      identifyConversation(stored, { agentTypeHash, conversationId: inner?.conversationId ?? '' }),
    )
  })

  it('is null where the stream does not tell, and the same where it does', () => {
    const [main, ...others] = identifySession(replay(stream).state, { agentTypeHash })
    expect(main?.identity).toBeNull()
    expect(others.map(({ identity }) => identity)).toEqual(
      identifySession(stored, { agentTypeHash })
        .slice(1)
        .map(({ identity }) => identity),
    )
    expect(others[0]?.parentConversationHash).toBeNull()
  })

  it('takes main’s prompt from who knows it', () => {
    const [stored_] = identifySession(stored, { agentTypeHash })
    const prompt = stored.blocks.find((block) => block.type === 'user_message')
    const firstUserText = prompt?.type === 'user_message' ? String(prompt.content) : ''
    const [live] = identifySession(replay(stream).state, { agentTypeHash, firstUserText })
    expect(live?.identity).toEqual(stored_?.identity)
  })

  it('asks for the kind of each agent by its name', () => {
    const asked: unknown[] = []
    identifySession(stored, {
      agentTypeHash: (name) => {
        asked.push(name)
        return `${name}`
      },
    })
    expect(asked).toEqual([undefined, 'general-purpose', 'general-purpose'])
  })
})

describe('sessionClaims', () => {
  const { disk } = recording('06-nested-forward')
  const { state } = replay(disk)

  it('tells all that the session knows of a call', () => {
    const kinds = { agentTypeHash: (name: string | undefined) => `kind of ${name}` }
    const [main, outer] = identifySession(state, kinds)
    expect(sessionClaims(state, kinds)).toEqual([
      {
        parentAgentId: 'main',
        parentAgentTypeHash: 'kind of undefined',
        parentConversationHash: main?.identity?.conversationHash,
        expectedChildAgentName: 'general-purpose',
        promptHash: hashUserMessage(state.subagents[0]?.prompt ?? ''),
        toolUseId: state.subagents[0]?.toolUseId,
      },
      {
        parentAgentId: outer?.conversationId,
        parentAgentTypeHash: 'kind of general-purpose',
        parentConversationHash: outer?.identity?.conversationHash,
        expectedChildAgentName: 'general-purpose',
        promptHash: hashUserMessage(state.subagents[1]?.prompt ?? ''),
        toolUseId: state.subagents[1]?.toolUseId,
      },
    ])
  })

  it('tells what there is of a call that says little, and nothing of an agent without one', () => {
    const sparse = fold(
      { type: 'subagent:spawned', toolUseId: 'T', prompt: '' },
      { type: 'subagent:completed', toolUseId: 'U', status: 'completed' },
    )
    expect(sessionClaims(sparse, { agentTypeHash })).toEqual([
      {
        parentAgentId: 'main',
        parentAgentTypeHash: agentTypeHash,
        expectedChildAgentName: 'unknown',
        toolUseId: 'T',
      },
    ])
  })

  it('names the agents as the gateway does', () => {
    const claims = sessionClaims(state, { agentTypeHash, agentIdOf: (id) => `s1/${id}` })
    expect(claims[0]?.parentAgentId).toBe('s1/main')
  })
})

// A host sees the stream and makes the claims; a gateway sees the first request of each child, with its prompt alone.
describe.each(allSessions)('the claims of $name', ({ stored }) => {
  it('link each child that a gateway sees to the parent that the session knows', () => {
    const made = sessionClaims(stored, { agentTypeHash })
    let claims = made.reduce<Claims>((before, claim, at) => createClaim(before, claim, at), [])
    for (const { toolUseId, prompt, parentConversationId } of stored.subagents) {
      const byCall = matchClaim(claims, { toolUseId }, 1000).match
      expect(byCall?.claim.parentAgentId).toBe(parentConversationId)
      const { match, claims: left } = matchClaim(
        claims,
        { promptHashes: [hashUserMessage(prompt ?? '')] },
        1000,
      )
      expect(match?.claim.parentAgentId).toBe(parentConversationId)
      claims = left
    }
    expect(claims).toEqual([])
  })
})
