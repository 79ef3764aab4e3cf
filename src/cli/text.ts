import { InputError } from './input.ts'
import type { Replay } from './replay-run.ts'

/** How many there are, with the noun in its number. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const MAX_TEXT = 100

/** A fact may be a path, which is told by its end. */
const MAX_FACT = 1000

/** The beginning of a text, on one line. */
export function truncate(text: string, limit: number = MAX_TEXT): string {
  // Enough for what is shown, also where much of it is white space.
  const line = oneLine(text.trimStart().slice(0, 10 * limit))
  const characters = [...line]
  return characters.length > limit ? `${characters.slice(0, limit - 1).join('')}…` : line
}

/** Text of a transcript and names of files must neither break lines nor reach the terminal as a control sequence. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '�')
    .trim()
}

function issueLine({ code, ...facts }: Replay['issues'][number]): string {
  const told = Object.entries(facts).map(([name, fact]) => `${name} ${truncate(`${fact}`, MAX_FACT)}`)
  return `  ${[code, ...told].join(' · ')}`
}

/** Renders issues, a line each, below how many there are; nothing where there are none. */
export function issueLines(issues: Replay['issues']): readonly string[] {
  return issues.length === 0 ? [] : [pluralize(issues.length, 'issue'), ...issues.map(issueLine)]
}

/** Renders JSON that a terminal does not obey: JSON escapes the control characters up to U+001F only. */
export function toJson(value: unknown, indent?: number): string {
  try {
    return escaped(JSON.stringify(value, null, indent))
  } catch (error) {
    throw new InputError('nested too deep, or too large, to be printed as JSON', { cause: error })
  }
}

function escaped(json: string): string {
  return json.replace(
    /[\u007f-\u009f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
