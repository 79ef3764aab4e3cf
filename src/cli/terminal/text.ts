import type { UsageSum } from '../../core/selectors/usage.ts'
import type { SessionReading } from '../../node/read/read-input.ts'
import { DIRECTIONS, showDirections } from '../../redaction/printable.ts'
import { formatCount, plural } from '../../sinks/markdown/text/values.ts'
import { InputError } from './terminal.ts'

const MAX_TEXT = 100

/** A fact may be a path, and its end matters most, so facts may be longer. */
const MAX_FACT = 1000

/** Returns the start of a text on one line, at most `limit` characters. */
export function truncate(text: string, limit: number = MAX_TEXT): string {
  // Limits the work for a long text, but leaves enough characters if much of it is white space.
  const line = oneLine(text.trimStart().slice(0, 10 * limit))
  const characters = [...line]
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line
}

/**
 * Removes line breaks, control characters and marks of directions, so that text of a transcript or a file name cannot
 * control the terminal.
 */
export function oneLine(text: string): string {
  return partOfLine(text).trim()
}

/** Like `oneLine`, but keeps the space at both ends, because the parts of a line are joined. */
export function partOfLine(text: string): string {
  return showDirections(text.replace(/\s+/g, ' ').replace(/\p{Cc}/gu, '�'))
}

function issueLine({ code, ...facts }: SessionReading['issues'][number]): string {
  const parts = Object.entries(facts).map(([name, fact]) => `${name} ${truncate(`${fact}`, MAX_FACT)}`)
  return `  ${[code, ...parts].join(' · ')}`
}

/** Renders the number of issues and one line per issue. Without issues there are no lines. */
export function issueLines(issues: SessionReading['issues']): readonly string[] {
  return issues.length === 0 ? [] : [plural(issues.length, 'issue'), ...issues.map(issueLine)]
}

/** Returns the tokens in and out. `~` marks sums with provisional figures. */
export function tokensText({ final, provisional }: UsageSum): string | undefined {
  if (final.messages + provisional.messages === 0) return undefined
  const sums = [final, provisional]
  const read = sums.flatMap((sum) => [sum.inputTokens, sum.cacheReadTokens, sum.cacheWriteTokens])
  const written = sums.map((sum) => sum.outputTokens)
  const mark = provisional.messages > 0 ? '~' : ''
  const unsplit = sums.flatMap((sum) => sum.unsplitTokens ?? [])
  const rest = unsplit.length === 0 ? '' : `, ${sumText(unsplit)} in or out`
  return `${mark}${sumText(read)} tokens in, ${mark}${sumText(written)} out${rest}`
}

/** Returns the sum of the known counts, or `?` if none is known: unknown is not zero. */
function sumText(counts: readonly (number | undefined)[]): string {
  const known = counts.filter((count) => count !== undefined)
  return known.length === 0 ? '?' : formatCount(known.reduce((left, right) => left + right, 0))
}

/** Renders JSON without control characters and marks of directions. `JSON.stringify` escapes only those up to U+001F. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return escapeControls(JSON.stringify(value, null, indent))
  } catch (error) {
    throw new InputError('too large or nested too deep to print as JSON', { cause: error })
  }
}

function escapeControls(json: string): string {
  const escapeOne = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return json.replace(/[\u007f-\u009f]/g, escapeOne).replace(DIRECTIONS, escapeOne)
}
