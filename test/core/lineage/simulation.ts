import { hashUserMessage } from '../../../src/entries/identity.ts'
import {
  type AgentRegistry,
  type Claims,
  createAgentRegistry,
  createClaim,
  type MatchOptions,
  reduceAgentEvent,
} from '../../../src/entries/lineage.ts'
import { random } from '../../random.ts'
import { matchByRfc } from './claims/rfc-claims.ts'

/** A gateway's day: parents that call children, children that start a little later, and agents that nobody called. */
export interface Setting {
  readonly parents: number
  /** The share of calls whose child never starts. */
  readonly lost?: number
  /** The share of calls whose child starts after the claim has expired. */
  readonly late?: number
  /** The share of calls, and of agents without a call, that have the same prompt as others. */
  readonly samePrompt?: number
  /** The share of children whose host puts a text part before the prompt. */
  readonly wrapped?: number
  /** The share of children whose host changes the prompt, and with it the hash. */
  readonly rewritten?: number
  /** The greatest error of the clock of a child's start, in ms. The order of the events stays right. */
  readonly skew?: number
  /** The greatest delay of the report of a call, in ms. */
  readonly lag?: number
}

/** The links of the children. The denominator is the children that had a parent and started in time. */
export interface Outcome {
  readonly children: number
  readonly right: number
  readonly wrong: number
  readonly missed: number
  /** The number of agents without a call, and the number of those that got a parent. */
  readonly roots: number
  readonly adopted: number
}

/** Finds the parents of a day's starts, in their order: by the rule of RFC 00033, or with the registry. */
export type Rule = (day: Day) => readonly (string | undefined)[]

interface Day {
  /** In the order of their reports. */
  readonly moments: readonly (Call | Start)[]
  readonly parents: readonly string[]
}

interface Call {
  readonly type: 'call'
  readonly at: number
  /** The time of the report to the gateway. */
  readonly reportedAt: number
  readonly name: string
  readonly prompt: string
  readonly parent: string
}

interface Start {
  readonly type: 'start'
  readonly at: number
  readonly reportedAt: number
  readonly name: string
  /** The texts of the first message. */
  readonly texts: readonly string[]
  readonly parent: string | undefined
  readonly isLate: boolean
}

const NAMES = ['recon', 'execute', 'review', 'plan']
const CALLS = 2000
const MINUTE = 60_000
const UNRELATED = 0.05

/** Runs a setting under a rule. The same seed gives the same outcome. */
export function simulate(setting: Setting, rule: Rule, seed = 1): Outcome {
  const day = dayOf(setting, random(seed))
  const found = rule(day)
  const starts = day.moments.filter(({ type }) => type === 'start') as readonly Start[]
  const children = starts.filter(({ parent, isLate }) => parent !== undefined && !isLate)
  const roots = starts.filter(({ parent }) => parent === undefined)
  const given = new Map(starts.map((start, at) => [start, found[at]]))
  const isRight = (start: Start) => given.get(start) === start.parent
  const isLinked = (start: Start) => given.get(start) !== undefined
  return {
    children: children.length,
    right: children.filter(isRight).length,
    // No rule can link late children. A parent that is not theirs is still a wrong link.
    wrong: starts.filter((start) => start.parent !== undefined && isLinked(start) && !isRight(start)).length,
    missed: children.filter((start) => !isLinked(start)).length,
    roots: roots.length,
    adopted: roots.filter(isLinked).length,
  }
}

/** Links by name, the oldest claim first: the RFC has no other evidence. */
export const byRfc: Rule = ({ moments }) => {
  let claims: Claims = []
  return moments.flatMap((moment) => {
    if (moment.type === 'call') {
      claims = createClaim(claims, claimOf(moment), moment.at)
      return []
    }
    const matched = matchByRfc(claims, { agentName: moment.name, agentTypeHash: 'type' }, moment.at)
    claims = matched.claims
    return [matched.claim?.parentAgentId]
  })
}

/** Links with the registry, by the hashes of the prompts. */
export function byRegistry(options: MatchOptions): Rule {
  return ({ moments, parents }) => {
    const begun = parents.reduce<AgentRegistry>(
      (registry, agentId) =>
        reduceAgentEvent(registry, { type: 'agent:started', agentId, at: 0, isMain: true }),
      createAgentRegistry(options),
    )
    const registry = moments.reduce(
      (before, moment, at) => reduceAgentEvent(before, eventOf(moment, at)),
      begun,
    )
    return registry.agents.slice(parents.length).map(({ parentAgentId }) => parentAgentId)
  }
}

function eventOf(moment: Call | Start, at: number): Parameters<typeof reduceAgentEvent>[1] {
  if (moment.type === 'call') {
    const { parentAgentId: agentId, ...call } = claimOf(moment)
    const promptHash = hashUserMessage(moment.prompt)
    return { type: 'agent:spawning', agentId, at: moment.at, ...call, promptHash }
  }
  return {
    type: 'agent:started',
    agentId: `agent ${at}`,
    at: moment.at,
    name: moment.name,
    firstUserMessageHash: hashUserMessage(moment.texts.join('\n')),
    promptHashes: moment.texts.map(hashUserMessage),
  }
}

function claimOf({ parent, name }: Call) {
  return { parentAgentId: parent, parentAgentTypeHash: '', expectedChildAgentName: name }
}

function dayOf(
  { parents, lost = 0.035, late = 0, samePrompt = 0, wrapped = 0, rewritten = 0, skew = 0, lag = 0 }: Setting,
  next: () => number,
): Day {
  const calls: Call[] = []
  const starts: Start[] = []
  const duration = (CALLS / 2 / parents) * MINUTE
  const anyName = () => NAMES[Math.floor(next() * NAMES.length)] ?? ''
  while (calls.length < CALLS) {
    const at = MINUTE + next() * duration
    const parent = `parent ${Math.floor(next() * parents)}`
    const together = 1 + Math.floor(next() * 3)
    for (let each = 0; each < together; each += 1) {
      const prompt = next() < samePrompt ? 'Look around.' : `Task ${calls.length}.`
      const calledAt = at + each * 50
      const reportedAt = calledAt + next() * lag
      const call = { type: 'call' as const, at: calledAt, reportedAt, name: anyName(), prompt, parent }
      calls.push(call)
      if (next() < lost) continue
      const isLate = next() < late
      const delay = isLate ? 31_000 + next() * 30_000 : 200 + next() * 7_800
      const given = next() < rewritten ? `Do this: ${prompt}` : prompt
      const texts = next() < wrapped ? ['Today is Monday.', given] : [given]
      const startsAt = calledAt + delay
      const clock = startsAt + (next() * 2 - 1) * skew
      starts.push({ type: 'start', name: call.name, parent, texts, isLate, at: clock, reportedAt: startsAt })
    }
    if (next() >= UNRELATED * together) continue
    const startsAt = MINUTE + next() * duration
    const texts = [next() < samePrompt ? 'Look around.' : `Own ${calls.length}.`]
    const own = { type: 'start' as const, name: anyName(), texts, parent: undefined, isLate: false }
    starts.push({ ...own, at: startsAt, reportedAt: startsAt })
  }
  return {
    moments: [...calls, ...starts].sort((left, right) => left.reportedAt - right.reportedAt),
    parents: Array.from({ length: parents }, (_, at) => `parent ${at}`),
  }
}
