import { describe, expect, it } from 'vitest'
import { hashUserMessage, identifySession } from '../../../../src/entries/identity.ts'
import { type Claims, createClaim, matchClaim, sessionClaims } from '../../../../src/entries/lineage.ts'
import { allSessions } from '../../../checks/parity/sessions.ts'
import { recording, replay } from '../../../wires/recordings.ts'
import { fold } from '../../reducer/example.ts'

const agentTypeHash = 'type'

describe('sessionClaims', () => {
  const { disk } = recording('06-nested-forward')
  const { state } = replay(disk)

  it('contains every known fact of a call', () => {
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

  it('contains the few facts of a bare call, and no claim for an agent without a call', () => {
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

  it('uses the gateway’s agent ids', () => {
    const claims = sessionClaims(state, { agentTypeHash, agentIdOf: (id) => `s1/${id}` })
    expect(claims[0]?.parentAgentId).toBe('s1/main')
  })
})

// A host sees the stream and makes the claims; a gateway sees the first request of each child, with its prompt alone.
describe.each(allSessions)('the claims of $name', ({ stored }) => {
  it('link each child at the gateway to its parent in the session', () => {
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
