import {
  type ChildEvidence,
  type Claims,
  createClaim,
  expireClaims,
  hashUserMessage,
  matchClaim,
} from '../../src/index.ts'
import { matchByRfc } from '../lineage/rfc-claims.ts'

/** What it costs to make, match and expire a claim beside others that are open, and what the rule of RFC 00033 costs. */
const OPEN = [10, 1_000, 10_000]
const NAMES = ['recon', 'execute', 'review', 'plan']
const RUNS = 400

for (const open of OPEN) {
  const claims = openClaims(open)
  const last: ChildEvidence = { agentName: 'plan', promptHashes: [hashUserMessage(`Task ${open - 1}.`)] }
  const nobody: ChildEvidence = { agentName: 'plan', promptHashes: [hashUserMessage('Own.')] }
  const candidates: Readonly<Record<string, () => unknown>> = {
    'match by prompt, the last one': () => matchClaim(claims, { ...last, agentName: 'unknown' }, open),
    'match by name alone': () => matchClaim(claims, { agentName: 'plan' }, open),
    'match nobody': () => matchClaim(claims, nobody, open),
    create: () => createClaim(claims, claimAt(open), open),
    'expire none': () => expireClaims(claims, open),
    'RFC 00033, by name': () => matchByRfc(claims, { agentName: 'plan', agentTypeHash: 'type' }, open),
    'RFC 00033, nobody': () => matchByRfc(claims, { agentName: 'nobody', agentTypeHash: 'type' }, open),
  }
  process.stdout.write(`\n${open.toLocaleString('en-US')} open claims\n`)
  for (const [name, cost] of costs(candidates))
    process.stdout.write(`${name.padStart(32)}: ${cost.toFixed(1)} µs\n`)
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

/** Medians, in µs; the candidates in turn, so that a busy moment of the machine meets all of them. */
function costs(candidates: Readonly<Record<string, () => unknown>>): readonly (readonly [string, number])[] {
  const works = Object.entries(candidates).map(([name, work]) => ({ name, work, times: [] as number[] }))
  for (let run = 0; run < RUNS; run += 1)
    for (const { work, times } of works) {
      const start = performance.now()
      work()
      times.push(1000 * (performance.now() - start))
    }
  return works.map(({ name, times }) => [
    name,
    times.sort((left, right) => left - right)[Math.floor(times.length / 2)] ?? 0,
  ])
}
