import { type Claim, type Claims, checkTime, isOpen, UNKNOWN_NAME } from './claim.ts'

/** What is known of an agent that starts. */
export interface ChildEvidence {
  readonly agentName?: string
  readonly agentTypeHash?: string
  /** Hosts wrap prompts, so a first message may have several: one for each of its text parts. */
  readonly promptHashes?: readonly string[]
  readonly toolUseId?: string
}

/** The evidence that a claim was matched by, the strongest first. */
export type MatchedBy = 'toolUseId' | 'promptHash' | 'agentName' | 'agentTypeHash'

/** The claim that an agent's start answers. */
export interface ClaimMatch {
  readonly claim: Claim
  readonly via: MatchedBy
  /** Claims of other parents were as good; the oldest was taken. */
  readonly ambiguous: boolean
}

/** How claims are chosen from. */
export interface MatchOptions {
  /** What to do where claims of several parents are equally good: take the `oldest`, or `none`. */
  readonly onAmbiguous?: 'oldest' | 'none'
}

/**
 * Finds the claim that an agent's start answers at `now` (ms since the epoch) and takes it out. Stronger evidence wins
 * (tool call, prompt, name, kind of agent), then the older claim. A claim that any evidence speaks against is none. Throws a
 * `RangeError` for a time that is no number.
 */
export function matchClaim(
  claims: Claims,
  child: ChildEvidence,
  now: number,
  { onAmbiguous = 'oldest' }: MatchOptions = {},
): { readonly claims: Claims; readonly match: ClaimMatch | null } {
  checkTime(now)
  const match = bestMatch(claims, child, (claim) => isOpen(claim, now))
  if (!match || (match.ambiguous && onAmbiguous === 'none')) return { claims, match: null }
  return { claims: claims.filter((claim) => claim !== match.claim), match }
}

/** The oldest claim of the best rank. One pass that copies nothing: there may be thousands. */
export function bestMatch(
  claims: Claims,
  child: ChildEvidence,
  isCandidate: (claim: Claim) => boolean = () => true,
): ClaimMatch | null {
  let best: ClaimMatch | null = null
  for (const claim of claims) {
    const via = isCandidate(claim) ? matchedBy(claim, child) : undefined
    if (via !== undefined) best = better(best, { claim, via, ambiguous: false })
  }
  return best
}

function better(best: ClaimMatch | null, next: ClaimMatch): ClaimMatch {
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

/** Whether the evidence can hardly be another's: names and kinds of agents are shared by many. */
export function isStrong(via: MatchedBy | undefined): boolean {
  return via === 'toolUseId' || via === 'promptHash'
}

/** The strongest evidence for the claim; undefined if there is none, or some against it. */
function matchedBy(claim: Claim, child: ChildEvidence): MatchedBy | undefined {
  const byCall = agreement(claim.toolUseId, child.toolUseId)
  if (byCall === 'against') return undefined
  const byPrompt = agreementWithAny(claim.promptHash, child.promptHashes)
  if (byPrompt === 'against') return undefined
  const byName = agreement(nameIn(claim.expectedChildAgentName), nameIn(child.agentName))
  const byType = agreement(claim.expectedChildAgentTypeHash, child.agentTypeHash)
  // Names are guessed; the kind of agent counts more where the claim knows it (RFC 00033, its own test).
  if (byName === 'against' && byType !== 'for') return undefined
  if (byCall === 'for') return 'toolUseId'
  if (byPrompt === 'for') return 'promptHash'
  if (byName === 'for') return 'agentName'
  return byType === 'for' ? 'agentTypeHash' : undefined
}

type Agreement = 'for' | 'against' | 'none'

function agreement(expected: string | undefined, actual: string | undefined): Agreement {
  return agreementWithAny(expected, actual === undefined ? [] : [actual])
}

function agreementWithAny(expected: string | undefined, actual: readonly string[] = []): Agreement {
  if (expected === undefined || actual.length === 0) return 'none'
  return actual.includes(expected) ? 'for' : 'against'
}

/** A name that nobody knows is no evidence. */
function nameIn(name: string | undefined): string | undefined {
  return name === UNKNOWN_NAME ? undefined : name
}
