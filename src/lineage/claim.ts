import { known } from '../state/known.ts'

/** How long a parent's claim waits for its child where nothing else is said, in ms (RFC 00033). */
export const CLAIM_LIFETIME_MS = 30_000

/** A parent has called a child that has not started yet, and what it knows of it. Times are in ms since the epoch. */
export interface Claim {
  readonly parentAgentId: string
  /** Not known while the parent's own first response goes on. */
  readonly parentConversationHash?: string
  readonly parentAgentTypeHash: string
  /** `unknown` says nothing. */
  readonly expectedChildAgentName: string
  readonly expectedChildAgentTypeHash?: string
  /** Of the prompt that the child is given, which is its first user message: `hashUserMessage`. */
  readonly promptHash?: string
  readonly toolUseId?: string
  readonly timestamp: number
  /** The first moment at which the claim counts no more. */
  readonly expiresAt: number
}

/** Open claims, in the order in which they were made. The first list is `[]`. */
export type Claims = readonly Claim[]

/** A claim as its parent makes it. */
export interface NewClaim extends Omit<Claim, 'timestamp' | 'expiresAt'> {
  /** In ms; 30,000 where it is left out. */
  readonly lifetimeMs?: number
}

/**
 * Adds a claim that is open from `now` (ms since the epoch) until its lifetime is over. Throws a `RangeError` for a time or
 * a lifetime that is no number, or a negative lifetime.
 */
export function createClaim(
  claims: Claims,
  { lifetimeMs = CLAIM_LIFETIME_MS, ...claim }: NewClaim,
  now: number,
): Claims {
  if (!Number.isFinite(now)) throw new RangeError('pass the time as ms since the epoch')
  if (!(lifetimeMs >= 0)) throw new RangeError('pass a lifetime in ms that is not negative')
  return [...claims, known({ ...claim, timestamp: now, expiresAt: now + lifetimeMs })]
}

/** Whether the claim still counts at `now`. */
export function isOpen({ expiresAt }: Claim, now: number): boolean {
  return expiresAt > now
}

/** Takes out the claims that count no more at `now` (ms since the epoch). */
export function expireClaims(
  claims: Claims,
  now: number,
): { readonly claims: Claims; readonly expired: Claims } {
  const open = claims.filter((claim) => isOpen(claim, now))
  if (open.length === claims.length) return { claims, expired: [] }
  return { claims: open, expired: claims.filter((claim) => !isOpen(claim, now)) }
}
