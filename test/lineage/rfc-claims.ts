import type { Claim, Claims } from '../../src/lineage/index.ts'

/**
 * The rule of RFC 00033, literally: the first claim, by age, of which the name or the kind of agent is the child's. What the
 * library's ranks and evidence are compared with.
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
