import { basename } from 'node:path'
import { timeInMs } from '../../core/json/lists.ts'
import { titleFrom } from '../../core/selectors/session-title.ts'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import type { SessionRow } from '../../node/session-index/session-row.ts'
import { formatAge, formatCost, formatCount, plural } from '../../sinks/markdown/text/values.ts'
import type { Choice } from '../terminal/terminal.ts'
import { oneLine, truncate } from '../terminal/text.ts'
import { cut, pad, wrapFacts } from '../terminal/wrap.ts'

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
function tokensText(session: SessionSummary, format: (count: number) => string): string {
  const count = tokenCount(session)
  return count === undefined ? '' : `${session.isProvisional ? '~' : ''}${format(count)}`
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

/** Returns a session as a line of a picker, with the other facts as its description. */
export function choiceOf(
  session: SessionSummary & Pick<SessionRow, 'status'>,
  { now, columns }: { readonly now: number; readonly columns: number },
): Choice {
  const { id, path, format, program = format, cwd = '', model = '', agents, updatedAt, costUsd } = session
  const tokens = tokensText(session, formatCount)
  const when = pad(relativeTime(updatedAt, now), 11)
  const project = oneLine(basename(cwd))
  const facts = [
    oneLine(program),
    oneLine(model),
    tokens === '' ? '' : `${tokens} tokens`,
    costUsd === undefined ? '' : formatCost(costUsd),
    agents ? plural(agents, 'agent') : '',
    oneLine(cwd),
    oneLine(id),
  ]
  const { status } = session
  // Most sessions are done, so the others are found at once.
  const word = status === undefined || status === 'finished' || status === 'idle' ? '' : SHORT_WORDS[status]
  // A narrow terminal has no space for these facts. The description has them.
  const places = [
    columns < WIDE
      ? ''
      : `${formatCost(costUsd).padStart(COST)}  ${pad(cut(oneLine(program), PROGRAM), PROGRAM)}  `,
    columns < NARROW ? '' : `${pad(cut(project, PROJECT), PROJECT)}  `,
  ]
  return {
    value: path,
    name: cut(`${when} ${pad(word, STATUS)} ${places.join('')}${titleOf(session)}`, columns - MARK),
    description: wrapFacts(facts, columns - 1).join('\n'),
  }
}

const NARROW = 80
const WIDE = 110
const PROJECT = 18
const PROGRAM = 11
/** As `$1,062.75`. */
const COST = 9
const STATUS = 8

/** The words of `STATUS_WORDS`, for a narrow column. */
const SHORT_WORDS = {
  ...{ running: 'running', waiting: 'asks you', background: 'running' },
  ...{ interrupted: 'stopped', failed: 'failed' },
} as const

/** The columns before a line of a picker. */
const MARK = 3

/** In ms. An older session has its date. */
const MAX_AGE_MS = 30 * 86_400_000

/** Returns how long ago a time was, such as `5 min ago` or `2 days ago`. After a month, it is the date. `now` is in ms. */
export function relativeTime(time: string | undefined, now: number): string {
  const at = timeInMs(time)
  if (Number.isNaN(at)) return ''
  return now - at < MAX_AGE_MS ? formatAge(now - at) : new Date(at).toISOString().slice(0, 10)
}
