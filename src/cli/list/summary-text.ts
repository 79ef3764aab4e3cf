import { timeInMs } from '../../core/json/lists.ts'
import { titleFrom } from '../../core/selectors/session-title.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import { formatAge, formatCost } from '../../sinks/markdown/text/values.ts'
import { oneLine, truncate } from '../terminal/text.ts'

const MAX_TITLE = 200

/** Returns the title of a session, or else its first prompt, on one line. */
export function titleOf({
  title,
  firstPrompt,
  id,
}: Pick<SessionSummary, 'title' | 'firstPrompt' | 'id'>): string {
  const name = titleFrom({ title, firstPrompt })
  return name === undefined ? `Session ${oneLine(id)}` : truncate(name, MAX_TITLE)
}

/** Returns the tokens that a session read and wrote. Undefined if they are not known. */
export function tokenCount({ tokens }: SessionSummary): number | undefined {
  const counts = Object.values(tokens ?? {})
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

/** Returns the tokens as a list shows them: `~` marks early figures. */
export function tokensText(session: SessionSummary, format: (count: number) => string): string {
  const count = tokenCount(session)
  return count === undefined ? '' : `${session.isProvisional ? '~' : ''}${format(count)}`
}

/** Returns the key of a sum: an agent type, a model, a folder or the like. */
export function keyText(key: string): string {
  return oneLine(key === '' ? '(unknown)' : key)
}

/** Returns a cost. One that lacks a part of the tokens has a `+`, and `?` is one that lacks them all. */
export function partialCost(costUsd: number | undefined, isPartial: boolean): string {
  if (!isPartial) return formatCost(costUsd)
  return costUsd === undefined ? '?' : `${formatCost(costUsd)}+`
}

/**
 * Returns a session as one line with tabs: its id, the time of its last change, its program, folder, model, tokens,
 * agents and cost in US dollars, and its title. A fact that is not known is empty.
 */
export function tabbedLine(session: SessionSummary): string {
  const { id, updatedAt = '', format, program = format, cwd = '', model = '', agents = '' } = session
  const costUsd = session.costUsd === undefined ? '' : Number(session.costUsd.toFixed(6))
  const tokens = tokensText(session, String)
  const fields = [id, updatedAt, program, cwd, model, tokens, agents, costUsd, titleOf(session)]
  return fields.map((field) => oneLine(String(field))).join('\t')
}

/** In ms. An older session has its date. */
const MAX_AGE_MS = 30 * 86_400_000

/** Returns how long ago a time was, such as `5 min ago` or `2 days ago`. After a month, it is the date. `now` is in ms. */
export function relativeTime(time: string | undefined, now: number): string {
  const at = timeInMs(time)
  if (Number.isNaN(at)) return ''
  return now - at < MAX_AGE_MS ? formatAge(now - at) : new Date(at).toISOString().slice(0, 10)
}
