import { hashUserMessage } from '../../src/entries/identity.ts'
import {
  type ChildEvidence,
  type Claims,
  createClaim,
  expireClaims,
  matchClaim,
} from '../../src/entries/lineage.ts'
import { matchByRfc } from '../core/lineage/claims/rfc-claims.ts'
import { heading, table, time } from './gates.ts'
import { race } from './measure.ts'

const OPEN = [10, 1_000, 10_000]
const NAMES = ['recon', 'execute', 'review', 'plan']

/** What it costs to make, match and expire a claim beside others that are open, and what the rule of RFC 00033 costs. */
export async function benchClaims(): Promise<void> {
  heading('Claims, by how many are open')
  const columns: Readonly<Record<string, number>>[] = []
  for (const open of OPEN) columns.push(await race(candidates(open)))
  const names = Object.keys(columns[0] ?? {})
  table(
    ['', ...OPEN.map((open) => open.toLocaleString('en-US'))],
    names.map((name) => [name, ...columns.map((times) => time(times[name] ?? 0))]),
  )
}

function candidates(open: number): Readonly<Record<string, () => unknown>> {
  const claims = openClaims(open)
  const last: ChildEvidence = { promptHashes: [hashUserMessage(`Task ${open - 1}.`)] }
  const nobody: ChildEvidence = { agentName: 'plan', promptHashes: [hashUserMessage('Own.')] }
  return {
    'match by prompt, the last one': () => matchClaim(claims, last, open),
    'match by name alone': () => matchClaim(claims, { agentName: 'plan' }, open),
    'match nobody': () => matchClaim(claims, nobody, open),
    create: () => createClaim(claims, claimAt(open), open),
    'expire none': () => expireClaims(claims, open),
    'RFC 00033, by name': () => matchByRfc(claims, { agentName: 'plan', agentTypeHash: 'type' }, open),
    'RFC 00033, nobody': () => matchByRfc(claims, { agentName: 'nobody', agentTypeHash: 'type' }, open),
  }
}

function openClaims(count: number): Claims {
  let claims: Claims = []
  for (let at = 0; at < count; at += 1) claims = createClaim(claims, claimAt(at), at)
  return claims
}

function claimAt(at: number): Parameters<typeof createClaim>[1] {
  return {
    parentAgentId: `parent ${at % 100}`,
    parentAgentTypeHash: 'type',
    expectedChildAgentName: NAMES[at % NAMES.length] ?? '',
    promptHash: hashUserMessage(`Task ${at}.`),
    toolUseId: `toolu ${at}`,
  }
}
