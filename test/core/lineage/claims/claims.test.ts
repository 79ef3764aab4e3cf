import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ChildEvidence,
  createClaim,
  matchClaim,
  type NewClaim,
} from '../../../../src/entries/lineage.ts'
import { claim, made, parentOf } from './made-claims.ts'

// The registry's tests of RFC 00033, with time passed in.
describe('RFC 00033', () => {
  it('matches claim by agent name', () => {
    const { match } = matchClaim(
      made(claim('parent')),
      { agentName: 'recon', agentTypeHash: 'child-type' },
      0,
    )
    expect(match).toMatchObject({ claim: { parentConversationHash: 'parent-hash' }, via: 'agentName' })
  })

  it("matches claim by type hash when name doesn't match", () => {
    const claims = made(claim('parent', { expectedChildAgentTypeHash: 'child-type' }))
    const { match } = matchClaim(claims, { agentName: 'different-name', agentTypeHash: 'child-type' }, 0)
    expect(match).toMatchObject({ claim: { parentConversationHash: 'parent-hash' }, via: 'agentTypeHash' })
  })

  it('returns null when no claim matches', () => {
    const claims = made(claim('parent'))
    const result = matchClaim(claims, { agentName: 'execute', agentTypeHash: 'unknown-type' }, 0)
    expect(result.match).toBeNull()
    expect(result.claims).toBe(claims)
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

  it('matches claims in FIFO order', () => {
    const claims = made(claim('parent-1'), claim('parent-2'))
    const first = matchClaim(claims, { agentName: 'recon' }, 200)
    expect(first.match?.claim.parentAgentId).toBe('parent-1')
    expect(parentOf(first.claims, { agentName: 'recon' }, 200)).toBe('parent-2')
  })

  it('removes matched claims', () => {
    const { claims } = matchClaim(made(claim('parent')), { agentName: 'recon' }, 0)
    expect(claims).toEqual([])
    expect(parentOf(claims, { agentName: 'recon' }, 0)).toBeUndefined()
  })
})

describe('the strongest evidence', () => {
  const all = made(
    claim('by type', { expectedChildAgentName: 'unknown', expectedChildAgentTypeHash: 'type' }),
    claim('by name'),
    claim('by prompt', { promptHash: 'prompt' }),
    claim('by call', { toolUseId: 't1' }),
  )
  const child = {
    agentName: 'recon',
    agentTypeHash: 'type',
    promptHashes: ['other', 'prompt'],
    toolUseId: 't1',
  }

  it('wins against older claims with weaker evidence', () => {
    const order: unknown[] = []
    let claims = all
    for (let match = matchClaim(claims, child, 500); match.match; match = matchClaim(claims, child, 500)) {
      order.push([match.match.claim.parentAgentId, match.match.via])
      claims = match.claims
    }
    expect(order).toEqual([
      ['by call', 'toolUseId'],
      ['by prompt', 'promptHash'],
      ['by name', 'agentName'],
      ['by type', 'agentTypeHash'],
    ])
  })

  it.each<[string, Partial<NewClaim>, ChildEvidence]>([
    ['another call', { toolUseId: 't1' }, { toolUseId: 't2', agentName: 'recon' }],
    ['another prompt', { promptHash: 'a' }, { promptHashes: ['b', 'c'], agentName: 'recon' }],
    ['another name', {}, { agentName: 'execute' }],
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

  it('are ambiguous if they are equal, and the oldest wins', () => {
    expect(matchClaim(claims, { agentName: 'recon' }, 300).match).toMatchObject({
      claim: { parentAgentId: 'a' },
      ambiguous: true,
    })
  })

  it('can stay unmatched then', () => {
    const result = matchClaim(claims, { agentName: 'recon' }, 300, { onAmbiguous: 'none' })
    expect(result).toEqual({ claims, match: null })
    expect(result.claims).toBe(claims)
  })

  it('are not ambiguous if all are of one parent', () => {
    expect(matchClaim(claims.slice(1), { agentName: 'recon' }, 300).match?.ambiguous).toBe(false)
  })

  it('are not ambiguous if the later claims are weaker', () => {
    const withPrompt = made(claim('c', { promptHash: 'p' }), ...['a', 'b'].map((id) => claim(id)))
    expect(matchClaim(withPrompt, { agentName: 'recon', promptHashes: ['p'] }, 300).match).toMatchObject({
      claim: { parentAgentId: 'c' },
      ambiguous: false,
    })
  })

  it('are not ambiguous if the other claims are weaker', () => {
    const withPrompt = createClaim(claims, claim('c', { promptHash: 'p' }), 300)
    expect(matchClaim(withPrompt, { agentName: 'recon', promptHashes: ['p'] }, 300).match).toMatchObject({
      claim: { parentAgentId: 'c' },
      ambiguous: false,
    })
  })
})

describe('a list of claims', () => {
  const name = fc.constantFrom('recon', 'execute', 'unknown')
  const hash = fc.constantFrom('p', 'q')
  const someClaims = fc
    .array(
      fc.record(
        {
          parentAgentId: fc.constantFrom('a', 'b'),
          expectedChildAgentName: name,
          promptHash: hash,
          toolUseId: hash,
        },
        { requiredKeys: ['parentAgentId', 'expectedChildAgentName'] },
      ),
      { maxLength: 8 },
    )
    .map((claims) => made(...claims.map((each) => claim(each.parentAgentId, each))))
  const someChild = fc.record(
    { agentName: name, promptHashes: fc.array(hash, { maxLength: 2 }), toolUseId: hash },
    { requiredKeys: [] },
  )

  it('lose the matched claim and keep the other references', () => {
    fc.assert(
      fc.property(someClaims, someChild, (claims, child) => {
        const { claims: left, match } = matchClaim(claims, child, 1000)
        expect(left).toEqual(claims.filter((each) => each !== match?.claim))
        if (!match) expect(left).toBe(claims)
      }),
    )
  })

  it('give the older of two equal claims', () => {
    fc.assert(
      fc.property(someClaims, someChild, (claims, child) => {
        const { match } = matchClaim(claims, child, 1000)
        const alone = claims.filter((each) => matchClaim([each], child, 1000).match?.via === match?.via)
        expect(match?.claim).toBe(match ? alone[0] : undefined)
      }),
    )
  })
})
