import type { Side } from '../formats/coverage.ts'
import type { SessionComparison } from '../parity/compare.ts'
import type { SessionDifference } from '../parity/difference.ts'
import type { ExcludedContent } from '../parity/excluded.ts'
import type { Replay } from './replay-run.ts'
import { pluralize, issueLines, truncate } from './text.ts'

/** What the command finds: a comparison, and what there was to say of each input. */
interface FoundParity extends SessionComparison {
  readonly issues: Readonly<Record<Side, Replay['issues']>>
}

/** Renders what is not the same on both sides, what was left out and what could not be read, for people to read. */
export function renderParity({ differences, projected, issues }: FoundParity): string {
  const head = differences.length === 0 ? 'equal' : pluralize(differences.length, 'difference')
  const left = projected.length === 0 ? ['nothing left out'] : ['left out', ...projected.map(excludedLine)]
  const sides = (['live', 'stored'] as const).flatMap((side) => sideLines(side, issues[side]))
  return `${[head, ...differences.flatMap(differenceLines), '', ...left, ...sides].join('\n')}\n`
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
    return '(nested too deep to be shown)'
  }
}

function sideLines(side: Side, issues: Replay['issues']): readonly string[] {
  const [count, ...lines] = issueLines(issues)
  return count === undefined ? [] : ['', `${side}: ${count}`, ...lines]
}

function excludedLine({ kind, side, count }: ExcludedContent): string {
  return `  ${side} ${kind} ${count}`
}
