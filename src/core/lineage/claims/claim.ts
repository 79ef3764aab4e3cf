import type { Draft } from 'immer'
import { omitUndefined } from '../../json/fields.ts'
import { draftAt, produce } from '../produce.ts'

/** The default lifetime of a claim, in ms (RFC 00033). */
export const CLAIM_LIFETIME_MS = 30_000

/** A parent has called a child that has not started yet. The claim holds the known facts of the child. Times are in ms since the epoch. */
export interface Claim {
  readonly parentAgentId: string
  /** Unknown until the parent's own first response has ended. */
  readonly parentConversationHash?: string
  readonly parentAgentTypeHash: string
  /** `unknown` counts as no name. */
  readonly expectedChildAgentName: string
  readonly expectedChildAgentTypeHash?: string
  /** The hash of the child's prompt, which is its first user message: `hashUserMessage`. */
  readonly promptHash?: string
  readonly toolUseId?: string
  readonly timestamp: number
  /** The claim is open before this moment, and expired from it on. */
  readonly expiresAt: number
}

/** Open claims, in the order of their creation. Start with `[]`. */
export type Claims = readonly Claim[]

/** A claim as its parent makes it. */
export interface NewClaim extends Omit<Claim, 'timestamp' | 'expiresAt'> {
  /** In ms; 30,000 by default. */
  readonly lifetimeMs?: number
}

/** The name of an agent without a name, in calls and in hosts (RFC 00033). */
export const UNKNOWN_NAME = 'unknown'

/**
 * Adds a claim that is open from `now` (ms since the epoch) until its lifetime is over. A repeated call of the same
 * parent makes no second claim: it only adds facts to the first one. Throws a `RangeError` if the time or the
 * lifetime is not a finite number, or if the lifetime is negative.
 */
export function createClaim(
  claims: Claims,
  { lifetimeMs = CLAIM_LIFETIME_MS, ...facts }: NewClaim,
  now: number,
): Claims {
  assertTime(now)
  if (!Number.isFinite(lifetimeMs) || lifetimeMs < 0) throw new RangeError('lifetimeMs: pass ms, 0 or more')
  const claim = omitUndefined({ ...facts, timestamp: now, expiresAt: now + lifetimeMs })
  const first = findClaimOfCall(claims, claim)
  if (!first) return [...claims, claim]
  const position = claims.indexOf(first)
  return produce(claims, (drafts) => addFacts(draftAt(drafts, position), claim))
}

/** Returns the claim of a parent's call, if the call's id is known. */
export function findClaimOfCall(
  claims: Claims,
  {
    parentAgentId,
    toolUseId,
  }: { readonly [Name in 'parentAgentId' | 'toolUseId']?: Claim[Name] | undefined },
): Claim | undefined {
  if (toolUseId === undefined) return undefined
  return claims.find((claim) => claim.toolUseId === toolUseId && claim.parentAgentId === parentAgentId)
}

/** Known facts stay; `unknown` is not a known name. */
function addFacts(claim: Draft<Claim>, facts: Claim): void {
  if (claim.expectedChildAgentName === UNKNOWN_NAME)
    claim.expectedChildAgentName = facts.expectedChildAgentName
  Object.assign(claim, { ...facts, ...claim })
}

/** NaN or an infinite time would keep every claim open for ever, or expire every claim. */
export function assertTime(now: number): void {
  if (!Number.isFinite(now)) throw new RangeError('pass the time as ms since the epoch')
}

/** Returns whether the claim is open at `now`. */
export function isOpen({ expiresAt }: Claim, now: number): boolean {
  return expiresAt > now
}

/** Removes the claims that have expired at `now` (ms since the epoch). Throws a `RangeError` if the time is not a finite number. */
export function expireClaims(
  claims: Claims,
  now: number,
): { readonly claims: Claims; readonly expired: Claims } {
  assertTime(now)
  const open = claims.filter((claim) => isOpen(claim, now))
  if (open.length === claims.length) return { claims, expired: [] }
  return { claims: open, expired: claims.filter((claim) => !isOpen(claim, now)) }
}
