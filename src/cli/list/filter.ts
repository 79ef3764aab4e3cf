import { existsSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { omitUndefined } from '../../core/json/fields.ts'
import { timeInMs } from '../../core/json/order.ts'
import { sessionStatus } from '../../core/selectors/status.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { tokensOf } from '../../node/list/summarize-file.ts'
import { searchPattern } from '../../node/search/pattern.ts'
import { tokenCount } from './summary-text.ts'
import { wholeState } from './whole-state.ts'

/** The moment since which a session changed: an age in ms, or a time in ms since the epoch. */
export type SinceTime = { readonly age: number } | { readonly time: number }

/** Which sessions to list. */
export interface SessionFilter {
  /** A name of the program, or of the format. */
  readonly program?: string
  /** The folder where the session ran, or one above it. */
  readonly cwd?: string
  readonly since?: SinceTime
  readonly failed?: true
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])

/** Reads an age such as `90m`, `12h`, `3d` or `2w`, or an ISO 8601 time. Undefined for any other text. */
export function sinceTime(text: string): SinceTime | undefined {
  const [, count, unit = ''] = /^(\d+)([mhdw])$/.exec(text) ?? []
  const size = UNITS.get(unit)
  if (count !== undefined && size !== undefined) return { age: Number(count) * size }
  const time = timeInMs(text)
  return Number.isNaN(time) ? undefined : { time }
}

/** Whether the person asked for some of the sessions only. */
export function isFilter({ program, cwd, since, failed }: SessionFilter): boolean {
  return [program, cwd, since, failed].some((each) => each !== undefined)
}

/** Yields the sessions that match. They come newest first, so the first that is too old is the end. `now` is in ms since the epoch. */
export async function* matchingSessions(
  sessions: AsyncIterable<SessionSummary>,
  { program, cwd, since, failed }: SessionFilter,
  now: number,
): AsyncGenerator<SessionSummary, void> {
  const oldest = since === undefined ? undefined : 'age' in since ? now - since.age : since.time
  for await (const session of sessions) {
    if (oldest !== undefined && timeInMs(session.updatedAt) < oldest) return
    if (program !== undefined && !isOfProgram(session, program)) continue
    if (cwd !== undefined && !isWithin(session.cwd, resolve(cwd))) continue
    if (failed && !(await hasFailed(session.path))) continue
    yield session
  }
}

/** Returns a text that each session of the filter has. Undefined if it asks for no folder. */
export function rawPartOf({ cwd }: SessionFilter): string | undefined {
  return cwd === undefined ? undefined : searchPattern(resolve(cwd)).rawPart
}

/** Returns the folder of a filter, if it does not exist. A session may have run in a folder that is gone. */
export function missingFolder({ cwd }: SessionFilter): string | undefined {
  return cwd === undefined || existsSync(cwd) ? undefined : resolve(cwd)
}

function isOfProgram({ program, format }: SessionSummary, name: string): boolean {
  return [program, format].some((each) => each?.toLowerCase() === name.toLowerCase())
}

function isWithin(cwd: string | undefined, folder: string): boolean {
  return cwd !== undefined && `${cwd}${sep}`.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`)
}

/** A session that cannot be read is not known to have failed. */
async function hasFailed(path: string): Promise<boolean> {
  const state = await wholeState(path)
  return state !== undefined && sessionStatus(state) === 'failed'
}

/** The orders of a list: the newest first, or the greatest value first. */
export const SORT_KEYS = ['age', 'cost', 'tokens', 'agents'] as const

export type SortKey = (typeof SORT_KEYS)[number]

const VALUES = {
  cost: ({ costUsd }: SessionSummary) => costUsd,
  tokens: tokenCount,
  agents: ({ agents }: SessionSummary) => agents,
}

/** Yields the sessions in an order. Equal ones stay as they come, which is newest first, and those without the value are last. */
export async function* sortedSessions(
  sessions: AsyncIterable<SessionSummary>,
  key: SortKey,
): AsyncGenerator<SessionSummary, void> {
  if (key === 'age') return yield* sessions
  const valueIn = VALUES[key]
  const all: { readonly session: SessionSummary; readonly value: number }[] = []
  for await (const listed of sessions) {
    const session = valueIn(listed) === undefined ? await withWholeFacts(listed) : listed
    all.push({ session, value: valueIn(session) ?? -1 })
  }
  yield* all.sort((left, right) => right.value - left.value).map(({ session }) => session)
}

/** Returns the session with the facts that only the whole session states. */
async function withWholeFacts(listed: SessionSummary): Promise<SessionSummary> {
  const state = await wholeState(listed.path)
  if (!state) return listed
  const { costUsd } = state.session
  const facts = { agents: state.subagents.length, costUsd, tokens: tokensOf(state) }
  return { ...omitUndefined(facts), ...listed }
}
