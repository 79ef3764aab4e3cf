import { omitUndefined } from '../json/omit-undefined.ts'

/** How long a parent's claim waits for its child where nothing else is said, in ms (RFC 00033). */
const CLAIM_LIFETIME_MS = 30_000

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

/** What calls and hosts say where an agent has no name (RFC 00033). */
export const UNKNOWN_NAME = 'unknown'

/**
 * Adds a claim that is open from `now` (ms since the epoch) until its lifetime is over. A call that its parent has claimed
 * already gets no second claim: what was not known of it is filled in. Throws a `RangeError` for a time or a lifetime that is
 * no finite number, or a negative lifetime.
 */
export function createClaim(
  claims: Claims,
  { lifetimeMs = CLAIM_LIFETIME_MS, ...claim }: NewClaim,
  now: number,
): Claims {
  checkTime(now)
  if (!Number.isFinite(lifetimeMs) || lifetimeMs < 0) throw new RangeError('lifetimeMs: pass ms, 0 or more')
  const made = omitUndefined({ ...claim, timestamp: now, expiresAt: now + lifetimeMs })
  const before = claimOfCall(claims, made)
  if (!before) return [...claims, made]
  const filled = filledIn(before, made)
  return filled === before ? claims : claims.map((other) => (other === before ? filled : other))
}

/** Returns the claim that a parent's call has made, if the call's id is known. */
export function claimOfCall(
  claims: Claims,
  { parentAgentId, toolUseId }: Pick<Claim, 'parentAgentId' | 'toolUseId'>,
): Claim | undefined {
  if (toolUseId === undefined) return undefined
  return claims.find((claim) => claim.toolUseId === toolUseId && claim.parentAgentId === parentAgentId)
}

function filledIn(before: Claim, news: Claim): Claim {
  const isNamed = before.expectedChildAgentName !== UNKNOWN_NAME
  const { expectedChildAgentName } = isNamed ? before : news
  const isNews =
    expectedChildAgentName !== before.expectedChildAgentName ||
    Object.keys(news).some((field) => !Object.hasOwn(before, field))
  return isNews ? { ...news, ...before, expectedChildAgentName } : before
}

/** Times that are no numbers would keep claims open for ever, or expire all of them. */
export function checkTime(now: number): void {
  if (!Number.isFinite(now)) throw new RangeError('pass the time as ms since the epoch')
}

/** Whether the claim still counts at `now`. */
export function isOpen({ expiresAt }: Claim, now: number): boolean {
  return expiresAt > now
}

/** Takes out the claims that count no more at `now` (ms since the epoch). Throws a `RangeError` for a time that is no number. */
export function expireClaims(
  claims: Claims,
  now: number,
): { readonly claims: Claims; readonly expired: Claims } {
  checkTime(now)
  const open = claims.filter((claim) => isOpen(claim, now))
  if (open.length === claims.length) return { claims, expired: [] }
  return { claims: open, expired: claims.filter((claim) => !isOpen(claim, now)) }
}
