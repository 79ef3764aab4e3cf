import { describe, expect, it } from 'vitest'
import { createClaim, expireClaims, matchClaim } from '../../src/lineage/index.ts'
import { claim, made, parentOf } from './made-claims.ts'

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
