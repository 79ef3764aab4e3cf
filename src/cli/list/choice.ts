import { basename } from 'node:path'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import type { SessionRow } from '../../node/session-index/session-row.ts'
import { formatCost, formatCount, formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import type { Choice } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { cut, pad, wrapFacts } from '../terminal/wrap.ts'
import { durationMs } from './filter.ts'
import { relativeTime, titleOf, tokensText } from './summary-text.ts'

/** Returns a session as a line of a picker, with the other facts as its description. */
export function choiceOf(
  session: SessionSummary & Pick<SessionRow, 'status'>,
  { now, columns }: { readonly now: number; readonly columns: number },
): Choice {
  const { id, path, format, program = format, cwd = '', model = '', agents, updatedAt, costUsd } = session
  const tokens = tokensText(session, formatCount)
  const duration = durationMs(session)
  const when = pad(relativeTime(updatedAt, now), 11)
  const project = oneLine(basename(cwd))
  const facts = [
    oneLine(program),
    oneLine(model),
    tokens === '' ? '' : `${tokens} tokens`,
    costUsd === undefined ? '' : formatCost(costUsd),
    agents ? plural(agents, 'agent') : '',
    duration ? formatDuration(duration) : '',
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
