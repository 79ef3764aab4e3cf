import type { Draft } from 'immer'
import { omitUndefined } from '../json/fields.ts'
import { draftAt, produce } from './produce.ts'

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
  /** The person whose agent made it. Only an agent of the same person answers the claim. */
  readonly userHash?: string
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
function assertTime(now: number): void {
  if (!Number.isFinite(now)) throw new RangeError('pass the time as ms since the epoch')
}

/** Returns whether the claim is open at `now`. */
function isOpen({ expiresAt }: Claim, now: number): boolean {
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

/** The known facts of an agent that starts. */
export interface ChildEvidence {
  readonly agentName?: string
  readonly agentTypeHash?: string
  /** One hash for each text part of the first message, because hosts wrap prompts. */
  readonly promptHashes?: readonly string[]
  readonly toolUseId?: string
  /** The person whose agent starts. */
  readonly userHash?: string
}

/** The evidence that decides a match, the strongest first. */
export type MatchedBy = 'toolUseId' | 'promptHash' | 'agentName' | 'agentTypeHash'

/** The claim that an agent's start answers. */
export interface ClaimMatch {
  readonly claim: Claim
  readonly via: MatchedBy
  /** Claims of other parents matched equally well; this is the oldest one. */
  readonly ambiguous: boolean
}

/** The rules for choosing a claim. */
export interface MatchOptions {
  /** If claims of several parents match equally well, take the `oldest` (the default) or `none`. */
  readonly onAmbiguous?: 'oldest' | 'none'
}

/**
 * Finds the claim that an agent's start answers at `now` (ms since the epoch) and removes it. Stronger evidence wins
 * (tool call, prompt, name, agent type), then the older claim. A claim with another call, prompt or name does not
 * match, nor does one of another user; a matching agent type outweighs the name. An expired claim matches by its call
 * alone, because clocks differ.
 * Throws a `RangeError` if the time is not a finite number.
 */
export function matchClaim(
  claims: Claims,
  child: ChildEvidence,
  now: number,
  { onAmbiguous }: MatchOptions = {},
): { readonly claims: Claims; readonly match: ClaimMatch | null } {
  assertTime(now)
  const match = bestMatch(claims, child, (claim) => isOpen(claim, now) || isCallOf(claim, child))
  if (!match || (match.ambiguous && onAmbiguous === 'none')) return { claims, match: null }
  return { claims: claims.filter((claim) => claim !== match.claim), match }
}

function isCallOf({ toolUseId }: Claim, child: ChildEvidence): boolean {
  return toolUseId !== undefined && toolUseId === child.toolUseId
}

/** Returns the oldest claim of the best rank. One pass without copies, because there may be thousands of claims. */
export function bestMatch(
  claims: Claims,
  child: ChildEvidence,
  isCandidate: (claim: Claim) => boolean = () => true,
): ClaimMatch | null {
  let best: ClaimMatch | null = null
  for (const claim of claims) {
    const via = isCandidate(claim) ? matchedBy(claim, child) : undefined
    if (via !== undefined) best = betterMatch(best, { claim, via, ambiguous: false })
  }
  return best
}

function betterMatch(best: ClaimMatch | null, next: ClaimMatch): ClaimMatch {
  if (!best || isStronger(next.via, best.via)) return next
  if (isStronger(best.via, next.via)) return best
  const ambiguous = best.ambiguous || next.claim.parentAgentId !== best.claim.parentAgentId
  const { claim } = next.claim.timestamp < best.claim.timestamp ? next : best
  return claim === best.claim && ambiguous === best.ambiguous ? best : { ...best, claim, ambiguous }
}

const RANKS: Readonly<Record<MatchedBy, number>> = {
  toolUseId: 0,
  promptHash: 1,
  agentName: 2,
  agentTypeHash: 3,
}

function isStronger(left: MatchedBy, right: MatchedBy): boolean {
  return RANKS[left] < RANKS[right]
}

/** Returns whether the evidence points to one call. Many agents share a name or a type, so those are weak evidence. */
export function isStrong(via: MatchedBy | undefined): boolean {
  return via === 'toolUseId' || via === 'promptHash'
}

/** Returns the strongest evidence for the claim. Undefined without any, or if user, call, prompt or name contradicts it. */
function matchedBy(claim: Claim, child: ChildEvidence): MatchedBy | undefined {
  if (claim.userHash !== child.userHash) return undefined
  const byCall = compareEvidence(claim.toolUseId, child.toolUseId)
  if (byCall === 'against') return undefined
  const byPrompt = compareWithAny(claim.promptHash, child.promptHashes)
  if (byPrompt === 'against') return undefined
  const byName = compareEvidence(knownName(claim.expectedChildAgentName), knownName(child.agentName))
  const byType = compareEvidence(claim.expectedChildAgentTypeHash, child.agentTypeHash)
  // Hosts guess names. A type hash in the claim counts more than the name (a test of RFC 00033 shows it).
  if (byName === 'against' && byType !== 'for') return undefined
  if (byCall === 'for') return 'toolUseId'
  if (byPrompt === 'for') return 'promptHash'
  if (byName === 'for') return 'agentName'
  return byType === 'for' ? 'agentTypeHash' : undefined
}

/** Undefined if one of the two is unknown. */
type Verdict = 'for' | 'against' | undefined

function compareEvidence(expected: string | undefined, actual: string | undefined): Verdict {
  return compareWithAny(expected, actual === undefined ? [] : [actual])
}

function compareWithAny(expected: string | undefined, actual: readonly string[] = []): Verdict {
  if (expected === undefined || actual.length === 0) return undefined
  return actual.includes(expected) ? 'for' : 'against'
}

/** The placeholder name `unknown` is no evidence. */
function knownName(name: string | undefined): string | undefined {
  return name === UNKNOWN_NAME ? undefined : name
}
