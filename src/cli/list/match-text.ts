import { basename } from 'node:path'
import type { SessionSummary } from '../../node/list/session-summary.ts'
import type { SearchMatch } from '../../node/search.ts'
import type { Paint } from '../terminal/style.ts'
import { oneLine, partOfLine } from '../terminal/text.ts'
import type { Widths } from '../terminal/width.ts'
import { relativeTime, titleOf } from './summary-text.ts'

/** How to print matches. The widths are those of `shownTexts`. */
interface MatchView {
  readonly paint: Paint
  readonly columns: number
  readonly widths: Widths
}

/** Yields the texts of the lines about a session and its matches. */
export function* shownTexts(
  session: SessionSummary,
  matches: readonly SearchMatch[],
): Generator<string, void> {
  yield titleOf(session)
  yield oneLine(`${basename(session.cwd ?? '')}${session.id}`)
  for (const { agent = '', timestamp = '', context } of matches)
    for (const text of [agent, timestamp, ...context]) yield partOfLine(text)
}

/** Returns a line about a session with matches. */
export function sessionLine(
  session: SessionSummary,
  { paint, columns, now, widths }: MatchView & { readonly now: number },
): string {
  const { cut, widthOf } = widths
  const facts = [
    relativeTime(session.updatedAt, now),
    oneLine(basename(session.cwd ?? '')),
    oneLine(session.id),
  ]
  const known = facts.filter((fact) => fact !== '').join(' · ')
  // The id is what `agentfold show` takes, so it stays whole.
  const title = cut(titleOf(session), Math.max(20, columns - widthOf(known) - 3))
  return `${paint(title, 'bold')} ${paint(`· ${known}`, 'dim')}`
}

/** Returns a line with the place of a match, and the match in its context. */
export function matchLine(
  { kind, agent, timestamp, context }: SearchMatch,
  { paint, columns, widths }: MatchView,
): string {
  const { cut, widthOf } = widths
  const time = timestamp === undefined ? '' : timestamp.slice(0, 16).replace('T', ' ')
  const place = [oneLine(time), agent === undefined ? 'main' : cut(oneLine(agent), MAX_AGENT), kind]
  const label = `  ${place.filter((part) => part !== '').join(' ')}: `
  const match = partOfLine(context[1])
  const space = Math.max(20, columns - widthOf(label) - widthOf(match))
  const left = startCut(partOfLine(context[0]), Math.floor(space / 3), widthOf)
  const right = cut(partOfLine(context[2]), Math.max(1, space - widthOf(left)))
  return `${paint(label, 'dim')}${left}${paint(match, 'yellow', 'bold')}${right}`
}

const MAX_AGENT = 24

/** Cuts a text at its start. */
function startCut(text: string, width: number, widthOf: Widths['widthOf']): string {
  if (widthOf(text) <= width) return text
  const characters = [...text]
  while (characters.length > 0 && widthOf(characters.join('')) > width - 1) characters.shift()
  return `…${characters.join('')}`
}
