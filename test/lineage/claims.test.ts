import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type ChildEvidence,
  type Claims,
  createClaim,
  expireClaims,
  type MatchOptions,
  matchClaim,
  type NewClaim,
} from '../../src/index.ts'

const claim = (parentAgentId: string, rest: Partial<NewClaim> = {}): NewClaim => ({
  parentAgentId,
  parentConversationHash: `${parentAgentId}-hash`,
  parentAgentTypeHash: 'parent-type',
  expectedChildAgentName: 'recon',
  ...rest,
})

/** Claims made one after the other, 100 ms apart. */
const made = (...claims: readonly NewClaim[]): Claims =>
  claims.reduce<Claims>((before, each, at) => createClaim(before, each, 100 * at), [])

const parentOf = (claims: Claims, child: ChildEvidence, now = 1000, options: MatchOptions = {}) =>
  matchClaim(claims, child, now, options).match?.claim.parentAgentId

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

  it('wins, however old a claim with weaker evidence is', () => {
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
      'another prompt, though the kind is the same',
      { promptHash: 'a', expectedChildAgentTypeHash: 'type' },
      { promptHashes: ['b'], agentTypeHash: 'type', agentName: 'recon' },
    ],
    [
      'another name, though the prompt is the same',
      { promptHash: 'a' },
      { promptHashes: ['a'], agentName: 'execute' },
    ],
  ])('is none where any speaks against it: %s', (_, expected, child) => {
    expect(parentOf(made(claim('parent', expected)), child)).toBeUndefined()
  })

  it.each<[string, Partial<NewClaim>, ChildEvidence]>([
    ['a name that nobody knows', { expectedChildAgentName: 'unknown' }, { agentName: 'recon' }],
    ['a child of unknown name', {}, { agentName: 'unknown' }],
    ['nothing at all', {}, {}],
    [
      'no prompt among the child’s',
      { promptHash: 'a', expectedChildAgentName: 'unknown' },
      { promptHashes: [] },
    ],
  ])('is not %s', (_, expected, child) => {
    expect(parentOf(made(claim('parent', expected)), child)).toBeUndefined()
  })
})

describe('claims of several parents', () => {
  const claims = made(claim('a'), claim('b'), claim('b'))

  it('are ambiguous where nothing tells them apart, and the oldest is taken', () => {
    expect(matchClaim(claims, { agentName: 'recon' }, 300).match).toMatchObject({
      claim: { parentAgentId: 'a' },
      ambiguous: true,
    })
  })

  it('can be left alone then', () => {
    const result = matchClaim(claims, { agentName: 'recon' }, 300, { onAmbiguous: 'none' })
    expect(result).toEqual({ claims, match: null })
    expect(result.claims).toBe(claims)
  })

  it('are not ambiguous where they are all of one', () => {
    expect(matchClaim(claims.slice(1), { agentName: 'recon' }, 300).match?.ambiguous).toBe(false)
  })

  it('are not ambiguous where those that were made later are weaker', () => {
    const withPrompt = made(claim('c', { promptHash: 'p' }), ...['a', 'b'].map((id) => claim(id)))
    expect(matchClaim(withPrompt, { agentName: 'recon', promptHashes: ['p'] }, 300).match).toMatchObject({
      claim: { parentAgentId: 'c' },
      ambiguous: false,
    })
  })

  it('are not ambiguous where the others are weaker', () => {
    const withPrompt = createClaim(claims, claim('c', { promptHash: 'p' }), 300)
    expect(matchClaim(withPrompt, { agentName: 'recon', promptHashes: ['p'] }, 300).match).toMatchObject({
      claim: { parentAgentId: 'c' },
      ambiguous: false,
    })
  })
})

describe('time', () => {
  it('is the claim’s own where it says so', () => {
    const claims = made(claim('short', { lifetimeMs: 10 }), claim('long', { lifetimeMs: 1e9 }))
    expect(parentOf(claims, { agentName: 'recon' }, 1e8)).toBe('long')
    expect(expireClaims(claims, 1e8)).toEqual({ claims: claims.slice(1), expired: claims.slice(0, 1) })
  })

  it('is over at the end of the lifetime, not before', () => {
    const claims = made(claim('parent'))
    expect(parentOf(claims, { agentName: 'recon' }, 29_999)).toBe('parent')
    expect(parentOf(claims, { agentName: 'recon' }, 30_000)).toBeUndefined()
    expect(expireClaims(claims, 29_999).claims).toBe(claims)
    expect(expireClaims(claims, 30_000).expired).toEqual(claims)
  })

  it('decides which is the oldest, in whatever order claims were made', () => {
    const late = createClaim([], claim('late'), 500)
    expect(parentOf(createClaim(late, claim('early'), 400), { agentName: 'recon' })).toBe('early')
  })

  it('decides which of one parent’s is the oldest, too', () => {
    const late = createClaim([], claim('parent'), 500)
    const { match } = matchClaim(createClaim(late, claim('parent'), 400), { agentName: 'recon' }, 1000)
    expect(match).toMatchObject({ claim: { timestamp: 400 }, ambiguous: false })
  })

  it('that is the same leaves the claim that was made first the oldest', () => {
    const both = createClaim(createClaim([], claim('first'), 5), claim('second'), 5)
    expect(parentOf(both, { agentName: 'recon' }, 6)).toBe('first')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('that is none matches and expires nothing: %d', (now) => {
    const told = new RangeError('pass the time as ms since the epoch')
    expect(() => matchClaim([], {}, now)).toThrow(told)
    expect(() => expireClaims([], now)).toThrow(told)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('is a number: %d is refused', (now) => {
    expect(() => createClaim([], claim('parent'), now)).toThrow(RangeError)
  })

  it('of a call of another parent with the same id is another claim', () => {
    const both = createClaim(
      createClaim([], claim('a', { toolUseId: 't' }), 0),
      claim('b', { toolUseId: 't' }),
      1,
    )
    expect(both.map(({ parentAgentId }) => parentAgentId)).toEqual(['a', 'b'])
    expect(createClaim(both, claim('b', { toolUseId: 't' }), 2)).toBe(both)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])(
    'cannot be taken back, or without end: a lifetime of %d is refused',
    (lifetimeMs) => {
      expect(() => createClaim([], claim('parent', { lifetimeMs }), 0)).toThrow(
        new RangeError('lifetimeMs: pass ms, 0 or more'),
      )
    },
  )
})

describe('any claims', () => {
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

  it('lose the one that was matched and keep the others as they are', () => {
    fc.assert(
      fc.property(someClaims, someChild, (claims, child) => {
        const { claims: left, match } = matchClaim(claims, child, 1000)
        expect(left).toEqual(claims.filter((each) => each !== match?.claim))
        if (!match) expect(left).toBe(claims)
      }),
    )
  })

  it('give an older claim before a younger one that is as good', () => {
    fc.assert(
      fc.property(someClaims, someChild, (claims, child) => {
        const { match } = matchClaim(claims, child, 1000)
        const alone = claims.filter((each) => matchClaim([each], child, 1000).match?.via === match?.via)
        expect(match?.claim).toBe(match ? alone[0] : undefined)
      }),
    )
  })
})
