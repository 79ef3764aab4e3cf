import { InputError } from './input.ts'
import type { Replay } from './replaying.ts'

/** How many there are, with the noun in its number. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

const MAX_TEXT = 100

/** Enough for what is shown, also where much of it is white space. */
const MAX_READ = 10 * MAX_TEXT

/** The beginning of a text, on one line. */
export function shortened(text: string): string {
  const line = oneLine(text.trimStart().slice(0, MAX_READ))
  const characters = [...line]
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT - 1).join('')}…` : line
}

/** A transcript's text must neither break the tree's lines nor reach the terminal as a control sequence. */
export function oneLine(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/\p{Cc}/gu, '�')
    .trim()
}

function issueLine({ code, ...facts }: Replay['issues'][number]): string {
  return `  ${oneLine([code, ...Object.entries(facts).map(([name, fact]) => `${name} ${fact}`)].join(' · '))}`
}

/** Renders issues, a line each, below how many there are; nothing where there are none. */
export function issueLines(issues: Replay['issues']): readonly string[] {
  return issues.length === 0 ? [] : [counted(issues.length, 'issue'), ...issues.map(issueLine)]
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
