import type { Claim, Claims } from '../../../../src/entries/lineage.ts'

/**
 * The literal rule of RFC 00033: the oldest claim with the child's name or agent type. Tests compare the library's ranks and evidence
 * with it.
 */
export function matchByRfc(
  claims: Claims,
  child: { readonly agentName: string; readonly agentTypeHash: string },
  now: number,
): { readonly claims: Claims; readonly claim: Claim | undefined } {
  const claim = claims
    .filter(({ expiresAt }) => expiresAt > now)
    .sort((left, right) => left.timestamp - right.timestamp)
    .find(
      ({ expectedChildAgentName, expectedChildAgentTypeHash }) =>
        expectedChildAgentName === child.agentName || expectedChildAgentTypeHash === child.agentTypeHash,
    )
  return { claim, claims: claim ? claims.filter((other) => other !== claim) : claims }
}
