import type { SessionReading } from '../node/read/session-fold.ts'
import type { SessionComparison } from '../parity/compare.ts'
import type { SessionDifference } from '../parity/difference.ts'
import type { ExcludedContent } from '../parity/exclusion.ts'
import type { Side } from '../programs/coverage.ts'
import { issueLines, pluralize, truncate } from './terminal/text.ts'

/** A comparison with the issues of each input. */
interface ParityReport extends SessionComparison {
  readonly issues: Readonly<Record<Side, SessionReading['issues']>>
}

/** Renders the differences, the ignored content and the issues as text. Two sessions with different ids are probably a wrong choice. */
export function renderParity(
  { differences, excluded, issues }: ParityReport,
  ids: Readonly<Record<Side, string | undefined>>,
): string {
  const head = differences.length === 0 ? 'equal' : pluralize(differences.length, 'difference')
  const isOther = ids.live !== undefined && ids.stored !== undefined && ids.live !== ids.stored
  const other = isOther ? [`different sessions: ${truncate(ids.live)} and ${truncate(ids.stored)}`] : []
  const ignored = excluded.length === 0 ? ['nothing ignored'] : ['ignored', ...excluded.map(excludedLine)]
  const sides = (['live', 'stored'] as const).flatMap((side) => sideLines(side, issues[side]))
  return `${[...other, head, ...differences.flatMap(differenceLines), '', ...ignored, ...sides].join('\n')}\n`
}

function differenceLines({
  kind,
  conversationId,
  id,
  field,
  live,
  stored,
}: SessionDifference): readonly string[] {
  const place = [kind, conversationId, id, field].flatMap((part) =>
    part === undefined ? [] : truncate(part),
  )
  return [`  ${place.join(' · ')}`, `    live    ${valueLine(live)}`, `    stored  ${valueLine(stored)}`]
}

function valueLine(value: unknown): string {
  if (value === undefined) return '–'
  try {
    return truncate(JSON.stringify(value))
  } catch {
    return '(nested too deep to show)'
  }
}

function sideLines(side: Side, issues: SessionReading['issues']): readonly string[] {
  const [count, ...lines] = issueLines(issues)
  return count === undefined ? [] : ['', `${side}: ${count}`, ...lines]
}

function excludedLine({ kind, side, count }: ExcludedContent): string {
  return `  ${side} ${kind} ${count}`
}
