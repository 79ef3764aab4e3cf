import { describe, expect, it } from 'vitest'
import { createClaim, expireClaims, matchClaim } from '../../../../src/entries/lineage.ts'
import { claim, made, parentOf } from './made-claims.ts'

describe('time', () => {
  it('ends exactly with the lifetime', () => {
    const claims = made(claim('parent'))
    expect(parentOf(claims, { agentName: 'recon' }, 29_999)).toBe('parent')
    expect(parentOf(claims, { agentName: 'recon' }, 30_000)).toBeUndefined()
    expect(expireClaims(claims, 29_999).claims).toBe(claims)
    expect(expireClaims(claims, 30_000).expired).toEqual(claims)
  })

  it('decides between claims of one parent too', () => {
    const late = createClaim([], claim('parent'), 500)
    const { match } = matchClaim(createClaim(late, claim('parent'), 400), { agentName: 'recon' }, 1000)
    expect(match).toMatchObject({ claim: { timestamp: 400 }, ambiguous: false })
  })

  it('that is equal leaves the order of creation to decide', () => {
    const both = createClaim(createClaim([], claim('first'), 5), claim('second'), 5)
    expect(parentOf(both, { agentName: 'recon' }, 6)).toBe('first')
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY])(
    'that is not finite is refused by matchClaim and expireClaims: %d',
    (now) => {
      const error = new RangeError('pass the time as ms since the epoch')
      expect(() => matchClaim([], {}, now)).toThrow(error)
      expect(() => expireClaims([], now)).toThrow(error)
    },
  )

  it('does not merge calls of two parents with the same id', () => {
    const both = createClaim(
      createClaim([], claim('a', { toolUseId: 't' }), 0),
      claim('b', { toolUseId: 't' }),
      1,
    )
    expect(both.map(({ parentAgentId }) => parentAgentId)).toEqual(['a', 'b'])
    expect(createClaim(both, claim('b', { toolUseId: 't' }), 2)).toBe(both)
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('refuses a lifetime of %d', (lifetimeMs) => {
    expect(() => createClaim([], claim('parent', { lifetimeMs }), 0)).toThrow(
      new RangeError('lifetimeMs: pass ms, 0 or more'),
    )
  })
})
