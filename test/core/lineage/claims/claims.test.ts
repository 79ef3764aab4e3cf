import { describe, expect, it } from 'vitest'
import { type ChildEvidence, matchClaim, type NewClaim } from '../../../../src/entries/lineage.ts'
import { claim, made, parentOf } from './made-claims.ts'

// The registry's tests of RFC 00033, with time passed in.
describe('RFC 00033', () => {
  it("matches claim by type hash when name doesn't match", () => {
    const claims = made(claim('parent', { expectedChildAgentTypeHash: 'child-type' }))
    const { match } = matchClaim(claims, { agentName: 'different-name', agentTypeHash: 'child-type' }, 0)
    expect(match).toMatchObject({ claim: { parentConversationHash: 'parent-hash' }, via: 'agentTypeHash' })
  })

  it('matches an expired claim by its call alone', () => {
    const claims = made(claim('parent', { toolUseId: 't1' }))
    const child = { agentName: 'recon', agentTypeHash: 'child-type' }
    expect(matchClaim(claims, { ...child, toolUseId: 't1' }, 31_000).match).toMatchObject({
      via: 'toolUseId',
    })
    expect(matchClaim(claims, child, 31_000).match).toBeNull()
  })

  it('expires claims after 30 seconds', () => {
    expect(parentOf(made(claim('parent')), { agentName: 'recon' }, 31_000)).toBeUndefined()
  })
})

describe('the strongest evidence', () => {
  it.each<[string, Partial<NewClaim>, ChildEvidence]>([
    ['another call', { toolUseId: 't1' }, { toolUseId: 't2', agentName: 'recon' }],
    ['another prompt', { promptHash: 'a' }, { promptHashes: ['b', 'c'], agentName: 'recon' }],
    ['another name', {}, { agentName: 'execute' }],
    // The child of one person became a child of another one's agent.
    ['another user', { userHash: 'ann', toolUseId: 't1' }, { userHash: 'bo', toolUseId: 't1' }],
    ['an unknown user', { userHash: 'ann', promptHash: 'a' }, { promptHashes: ['a'] }],
    ['a known user', { promptHash: 'a' }, { userHash: 'bo', promptHashes: ['a'] }],
    [
      'another prompt, although the type is the same',
      { promptHash: 'a', expectedChildAgentTypeHash: 'type' },
      { promptHashes: ['b'], agentTypeHash: 'type', agentName: 'recon' },
    ],
    [
      'another name, although the prompt is the same',
      { promptHash: 'a' },
      { promptHashes: ['a'], agentName: 'execute' },
    ],
  ])('does not match if any evidence contradicts it: %s', (_, expected, child) => {
    expect(parentOf(made(claim('parent', expected)), child)).toBeUndefined()
  })

  it.each<[string, Partial<NewClaim>, ChildEvidence]>([
    ['a name that nobody knows', { expectedChildAgentName: 'unknown' }, { agentName: 'recon' }],
    ['a child of unknown name', {}, { agentName: 'unknown' }],
    ['nothing at all', {}, {}],
    ['no prompt of the child', { promptHash: 'a', expectedChildAgentName: 'unknown' }, { promptHashes: [] }],
  ])('is not %s', (_, expected, child) => {
    expect(parentOf(made(claim('parent', expected)), child)).toBeUndefined()
  })
})

describe('claims of several parents', () => {
  const claims = made(claim('a'), claim('b'), claim('b'))

  it('can stay unmatched then', () => {
    const result = matchClaim(claims, { agentName: 'recon' }, 300, { onAmbiguous: 'none' })
    expect(result).toEqual({ claims, match: null })
    expect(result.claims).toBe(claims)
  })

  it('are not ambiguous if the later claims are weaker', () => {
    const withPrompt = made(claim('c', { promptHash: 'p' }), ...['a', 'b'].map((id) => claim(id)))
    expect(matchClaim(withPrompt, { agentName: 'recon', promptHashes: ['p'] }, 300).match).toMatchObject({
      claim: { parentAgentId: 'c' },
      ambiguous: false,
    })
  })
})
