import { type Claim, type Claims, isOpen } from './claim.ts'

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

export interface MatchOptions {
  /** What to do where claims of several parents are equally good: take the `oldest`, or `none`. */
  readonly onAmbiguous?: 'oldest' | 'none'
}

/**
 * Finds the claim that an agent's start answers at `now` (ms since the epoch) and takes it out. Stronger evidence wins
 * (tool call, prompt, name, kind of agent), then the older claim. A claim that any evidence speaks against is none.
 */
export function matchClaim(
  claims: Claims,
  child: ChildEvidence,
  now: number,
  { onAmbiguous = 'oldest' }: MatchOptions = {},
): { readonly claims: Claims; readonly match: ClaimMatch | null } {
  const best = bestClaims(claims, child, now)
  const [oldest] = best.claims
  if (!oldest || best.via === undefined) return { claims, match: null }
  const ambiguous = best.claims.some(({ parentAgentId }) => parentAgentId !== oldest.parentAgentId)
  if (ambiguous && onAmbiguous === 'none') return { claims, match: null }
  return {
    claims: claims.filter((claim) => claim !== oldest),
    match: { claim: oldest, via: best.via, ambiguous },
  }
}

const RANKS: readonly MatchedBy[] = ['toolUseId', 'promptHash', 'agentName', 'agentTypeHash']

/** The claims of the best rank, the oldest first. */
function bestClaims(
  claims: Claims,
  child: ChildEvidence,
  now: number,
): { readonly via: MatchedBy | undefined; readonly claims: Claims } {
  const byRank = new Map<MatchedBy, Claim[]>()
  for (const claim of claims) {
    const via = isOpen(claim, now) ? rankOf(claim, child) : undefined
    if (via === undefined) continue
    const found = byRank.get(via)
    if (found) found.push(claim)
    else byRank.set(via, [claim])
  }
  const via = RANKS.find((rank) => byRank.has(rank))
  const best = via === undefined ? [] : (byRank.get(via) ?? [])
  return { via, claims: [...best].sort((left, right) => left.timestamp - right.timestamp) }
}

/** The strongest evidence for the claim; undefined if there is none, or some against it. */
function rankOf(claim: Claim, child: ChildEvidence): MatchedBy | undefined {
  const evidence = {
    toolUseId: agreement(claim.toolUseId, child.toolUseId),
    promptHash: promptAgreement(claim.promptHash, child.promptHashes),
    agentName: agreement(nameIn(claim.expectedChildAgentName), nameIn(child.agentName)),
    agentTypeHash: agreement(claim.expectedChildAgentTypeHash, child.agentTypeHash),
  }
  if (evidence.toolUseId === 'against' || evidence.promptHash === 'against') return undefined
  // Names are guessed; the kind of agent counts more where the claim knows it (RFC 00033, its own test).
  if (evidence.agentName === 'against' && evidence.agentTypeHash !== 'for') return undefined
  return RANKS.find((rank) => evidence[rank] === 'for')
}

type Agreement = 'for' | 'against' | 'none'

function agreement(expected: string | undefined, actual: string | undefined): Agreement {
  if (expected === undefined || actual === undefined) return 'none'
  return expected === actual ? 'for' : 'against'
}

function promptAgreement(expected: string | undefined, actual: readonly string[] = []): Agreement {
  if (expected === undefined || actual.length === 0) return 'none'
  return actual.includes(expected) ? 'for' : 'against'
}

/** A name that nobody knows is no evidence. */
function nameIn(name: string | undefined): string | undefined {
  return name === 'unknown' ? undefined : name
}
