import type { SessionComparison } from '../parity/compare.ts'
import type { SessionDifference } from '../parity/difference.ts'
import type { Projected } from '../parity/projection.ts'
import { counted, oneLine, shortened } from './text.ts'

/** Renders what is not the same on both sides, and what was left out, for people to read. */
export function renderParity({ differences, projected }: SessionComparison): string {
  const head = differences.length === 0 ? 'equal' : counted(differences.length, 'difference')
  const left = projected.length === 0 ? ['nothing left out'] : ['left out', ...projected.map(projectedLine)]
  return `${[head, ...differences.flatMap(differenceLines), '', ...left].join('\n')}\n`
}

function differenceLines({
  kind,
  conversationId,
  id,
  field,
  live,
  stored,
}: SessionDifference): readonly string[] {
  const place = [kind, conversationId, id, field].flatMap((part) => (part === undefined ? [] : oneLine(part)))
  return [`  ${place.join(' · ')}`, `    live    ${valueLine(live)}`, `    stored  ${valueLine(stored)}`]
}

function valueLine(value: unknown): string {
  if (value === undefined) return '–'
  return shortened(JSON.stringify(value))
}

function projectedLine({ kind, side, count }: Projected): string {
  return `  ${side} ${kind} ${count}`
}
