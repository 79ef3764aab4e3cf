import {
  type ChildEvidence,
  type Claims,
  createClaim,
  type MatchOptions,
  matchClaim,
  type NewClaim,
} from '../../../../src/entries/lineage.ts'

export const claim = (parentAgentId: string, rest: Partial<NewClaim> = {}): NewClaim => ({
  parentAgentId,
  parentConversationHash: `${parentAgentId}-hash`,
  parentAgentTypeHash: 'parent-type',
  expectedChildAgentName: 'recon',
  ...rest,
})

/** Makes claims one after the other, 100 ms apart. */
export const made = (...claims: readonly NewClaim[]): Claims =>
  claims.reduce<Claims>((before, each, at) => createClaim(before, each, 100 * at), [])

/** Returns the parent whose claim the child matches. */
export const parentOf = (
  claims: Claims,
  child: ChildEvidence,
  now = 1000,
  options: MatchOptions = {},
): string | undefined => matchClaim(claims, child, now, options).match?.claim.parentAgentId
