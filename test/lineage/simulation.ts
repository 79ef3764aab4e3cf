import { type Claims, createClaim, expireClaims, matchClaim } from '../../src/index.ts'

/** A gateway's day: parents that call children, children that start a little later, and agents that nobody called. */
export interface Setting {
  readonly parents: number
  /** Of the calls, those whose child never starts. */
  readonly lost?: number
  /** Of the calls, those whose child starts when the claim has expired. */
  readonly late?: number
  /** Of the calls, those that give the same prompt as others. */
  readonly samePrompt?: number
  /** Of the children, those whose host changes the prompt so that its hash is another. */
  readonly rewritten?: number
  /** How far the clocks of child and parent are apart at most, in ms. */
  readonly skew?: number
}

/** How the children were linked; those that started in time and had a parent are the denominator. */
export interface Outcome {
  readonly children: number
  readonly right: number
  readonly wrong: number
  readonly missed: number
  /** Agents that nobody had called, and how many of them were given a parent. */
  readonly roots: number
  readonly adopted: number
}

/** The name-and-FIFO rule of RFC 00033, or evidence as `matchClaim` ranks it, which may decline where it is ambiguous. */
export type Rule = 'RFC 00033' | 'prompts' | 'prompts, or none'

const NAMES = ['recon', 'execute', 'review', 'plan']
const CALLS = 4000
const MINUTE = 60_000
const UNRELATED = 0.05

interface Start {
  readonly at: number
  readonly name: string
  readonly prompt: string
  readonly parent: string | undefined
  readonly isLate: boolean
}

interface Call {
  readonly at: number
  readonly name: string
  readonly prompt: string
  readonly parent: string
}

/** Runs a setting under a rule. The same seed gives the same outcome. */
export function simulate(setting: Setting, rule: Rule, seed = 1): Outcome {
  const { calls, starts } = dayOf(setting, random(seed))
  const events = [
    ...calls.map((call) => ({ at: call.at, call })),
    ...starts.map((start) => ({ at: start.at, start })),
  ].sort((left, right) => left.at - right.at)
  let claims: Claims = []
  const tally = { children: 0, right: 0, wrong: 0, missed: 0, roots: 0, adopted: 0 }
  for (const event of events) {
    claims = expireClaims(claims, event.at).claims
    if ('call' in event) {
      claims = claim(claims, event.call, rule)
      continue
    }
    const evidence = {
      agentName: event.start.name,
      ...(rule !== 'RFC 00033' && { promptHashes: [event.start.prompt] }),
    }
    const onAmbiguous = rule === 'prompts, or none' ? 'none' : 'oldest'
    const matched = matchClaim(claims, evidence, event.at, { onAmbiguous })
    claims = matched.claims
    count(tally, event.start, matched.match?.claim.parentAgentId)
  }
  return tally
}

function claim(claims: Claims, { at, name, prompt, parent }: Call, rule: Rule): Claims {
  const promptHash = rule === 'RFC 00033' ? {} : { promptHash: prompt }
  return createClaim(
    claims,
    { parentAgentId: parent, parentAgentTypeHash: '', expectedChildAgentName: name, ...promptHash },
    at,
  )
}

function count(
  tally: { -readonly [Key in keyof Outcome]: Outcome[Key] },
  { parent, isLate }: Start,
  found: string | undefined,
): void {
  if (parent === undefined) {
    tally.roots += 1
    if (found !== undefined) tally.adopted += 1
  } else if (isLate) {
    // Nobody could link it rightly; a parent that it is given all the same is a wrong one.
    if (found !== undefined && found !== parent) tally.wrong += 1
  } else {
    tally.children += 1
    if (found === parent) tally.right += 1
    else if (found === undefined) tally.missed += 1
    else tally.wrong += 1
  }
}

function dayOf(
  { parents, lost = 0.035, late = 0, samePrompt = 0, rewritten = 0, skew = 0 }: Setting,
  next: () => number,
): { readonly calls: readonly Call[]; readonly starts: readonly Start[] } {
  const calls: Call[] = []
  const starts: Start[] = []
  const duration = (CALLS / 2 / parents) * MINUTE
  const anyName = () => NAMES[Math.floor(next() * NAMES.length)] ?? ''
  while (calls.length < CALLS) {
    const at = next() * duration
    const parent = `parent ${Math.floor(next() * parents)}`
    const together = 1 + Math.floor(next() * 3)
    for (let each = 0; each < together; each += 1) {
      const prompt = next() < samePrompt ? 'Look around.' : `Task ${calls.length}.`
      const call = { at: at + each * 50, name: anyName(), prompt, parent }
      calls.push(call)
      if (next() < lost) continue
      const isLate = next() < late
      const delay = isLate ? 31_000 + next() * 30_000 : 200 + next() * 7_800
      const told = next() < rewritten ? `Wrapped: ${prompt}` : prompt
      starts.push({ ...call, prompt: told, at: call.at + delay + (next() * 2 - 1) * skew, isLate })
    }
    if (next() < UNRELATED * together)
      starts.push({
        at: next() * duration,
        name: anyName(),
        prompt: `Own ${calls.length}.`,
        parent: undefined,
        isLate: false,
      })
  }
  return { calls, starts }
}

/** Mulberry32: 32 bits of state, the same on every machine. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
