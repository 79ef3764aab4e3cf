import { omitUndefined } from '../../core/json/fields.ts'
import { type Price, tokenCost, USUAL_RATIO } from '../../core/selectors/cost.ts'
import { MAIN } from '../../core/state/session.ts'
import type { SessionDetails, SessionPart } from './session-details.ts'
import type { RowFacts } from './session-row.ts'

/** What the sums of sessions are by. */
export const STATISTIC_KEYS = ['day', 'project', 'program', 'model', 'agent-type', 'tool'] as const

/** What statistics are grouped by. */
export type StatisticKey = (typeof STATISTIC_KEYS)[number]

/** The sums of the sessions, or of their parts, with one key. */
export interface Statistic {
  /** The day in UTC, the working folder, the program, the model, the agent type or the tool. Empty if it is not known. */
  readonly key: string
  readonly sessions: number
  /** The turns of main. By agent type, an agent is one; by tool, they are the turns with such a call. */
  readonly turns: number
  /** The failed turns; by tool, the failed calls. */
  readonly failed: number
  /** The time between requests to the person and their answers. This and each sum of tokens is absent if none is stated. */
  readonly waitedMs?: number
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly cacheReadTokens?: number
  readonly cacheWriteTokens?: number
  /** In US dollars: as the programs state it, and else by the prices. Absent if no part of it is known. */
  readonly costUsd?: number
  /** The sessions with tokens of which no cost is known. Absent if there is none. */
  readonly unpricedSessions?: number
  /** The calls of a tool. */
  readonly calls?: number
}

/** A session of the statistics. */
interface CountedSession {
  readonly facts: RowFacts
  readonly parts: SessionDetails['parts']
  readonly tools: SessionDetails['tools']
}

interface StatisticsOptions {
  readonly by: StatisticKey
  /** The first day in UTC, such as `2026-01-31`. */
  readonly sinceDay?: string | undefined
  /** The last day. */
  readonly untilDay?: string | undefined
  readonly priceOf?: ((model: string) => Price | undefined) | undefined
}

type Growing = { -readonly [Key in keyof Statistic]: Statistic[Key] } & {
  readonly seen: Set<object>
  readonly unpriced: Set<object>
}

/** Returns the sums by key: days in their order, and else the greatest number of sessions first. */
export function statisticsOf(
  sessions: Iterable<CountedSession>,
  { by, sinceDay = '', untilDay = '9999-12-31', priceOf }: StatisticsOptions,
): readonly Statistic[] {
  const sums = new Map<string, Growing>()
  const sumOf = (key: string): Growing => {
    const sum = sums.get(key) ?? newSum(key)
    sums.set(key, sum)
    return sum
  }
  const isWanted = ({ day }: { readonly day: string }) => day >= sinceDay && day <= untilDay
  for (const session of sessions) {
    const { facts, parts } = session
    if (by === 'tool') {
      addTools(session, session.tools.filter(isWanted), sumOf)
      continue
    }
    const costs = costsOf(facts, parts, priceOf)
    for (const [at, part] of parts.entries())
      if (isWanted(part)) addPart(sumOf(keyOf(by, facts, part)), session, { part, by, cost: costs[at] })
  }
  const list = [...sums.values()].map(({ seen, unpriced, costUsd, calls, ...sum }) => {
    const { key, turns, failed, waitedMs, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = sum
    return omitUndefined({
      ...{ key, sessions: seen.size, turns, failed, waitedMs, inputTokens, outputTokens, cacheReadTokens },
      ...{ cacheWriteTokens, costUsd, unpricedSessions: unpriced.size || undefined, calls },
    })
  })
  return list.sort((left, right) =>
    by === 'day' || left.sessions === right.sessions
      ? compareKeys(left.key, right.key)
      : right.sessions - left.sessions,
  )
}

function compareKeys(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function newSum(key: string): Growing {
  return { key, sessions: 0, turns: 0, failed: 0, seen: new Set(), unpriced: new Set() }
}

const SUMMED = ['waitedMs', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const

function keyOf(by: Exclude<StatisticKey, 'tool'>, facts: RowFacts, part: SessionPart): string {
  switch (by) {
    case 'day':
      return part.day
    case 'project':
      return facts.cwd ?? ''
    case 'program':
      return facts.program ?? facts.format
    case 'model':
      return part.model
    case 'agent-type':
      return part.agentType
  }
}

function addPart(
  sum: Growing,
  session: CountedSession,
  {
    part,
    by,
    cost,
  }: { readonly part: SessionPart; readonly by: StatisticKey; readonly cost: number | undefined },
): void {
  sum.seen.add(session)
  if (by === 'agent-type' || part.agentType === MAIN) {
    sum.turns += part.turns
    sum.failed += part.failed
  }
  for (const name of SUMMED) if (part[name] !== undefined) sum[name] = (sum[name] ?? 0) + part[name]
  if (cost === undefined) {
    if (hasTokens(part)) sum.unpriced.add(session)
    // A share of nothing says no more than an unknown cost.
  } else if (cost > 0 || hasTokens(part)) sum.costUsd = (sum.costUsd ?? 0) + cost
}

function addTools(
  session: CountedSession,
  parts: CountedSession['tools'],
  sumOf: (key: string) => Growing,
): void {
  for (const { tool, calls, failed, turns } of parts) {
    const sum = sumOf(tool)
    sum.seen.add(session)
    sum.calls = (sum.calls ?? 0) + calls
    sum.failed += failed
    sum.turns += turns
  }
}

/** Returns the cost of each part. A cost that the program states for the whole session is divided by what the tokens usually cost. */
export function costsOf(
  { costUsd }: Pick<RowFacts, 'costUsd'>,
  parts: readonly SessionPart[],
  priceOf: StatisticsOptions['priceOf'],
): readonly (number | undefined)[] {
  if (costUsd === undefined)
    return parts.map((part) => {
      const price = priceOf?.(part.model)
      return price && hasTokens(part) ? tokenCost(part, price) : undefined
    })
  const weights = parts.map((part) => tokenCost(part, USUAL_RATIO))
  const sum = weights.reduce((left, right) => left + right, 0)
  return weights.map((weight, at) => (sum > 0 ? (costUsd * weight) / sum : at === 0 ? costUsd : 0))
}

/** Whether a part states any tokens. */
export function hasTokens({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens,
}: SessionPart): boolean {
  return (inputTokens ?? outputTokens ?? cacheReadTokens ?? cacheWriteTokens) !== undefined
}
