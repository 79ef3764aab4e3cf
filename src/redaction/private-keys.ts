import { BREAK, GUTTER, KEY } from './marks.ts'

/** PEM has five dashes. The form of RFC 4716 has four, and spaces between them and the words. */
const LABEL = `[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-----?`
const BEGIN = new RegExp(`-----? ?BEGIN ${LABEL}`, 'g')
const END = new RegExp(`-----? ?END ${LABEL}`, 'g')

/** The private part of a key of PuTTY: the number of its lines, which follow. */
const PUTTY = /Private-Lines: \d{1,3}/g

/** The largest private key in use has about 13,000 characters. Numbers of lines and marks of a diff stand between them. */
const MAX_KEY_LENGTH = 40_000

/** A line of a key's body, or of the header of an encrypted key. */
const BODY_LINE = String.raw`(?:[A-Za-z0-9+/=]{1,1000}|[A-Z][A-Za-z-]{1,30}: [^\r\n\\]{0,100}|)[ \t]{0,8}\\{0,8}`

/** The lines after a first line whose last line is missing. */
const BODY = new RegExp(
  `(?:${BREAK}${GUTTER}(?!-----)${BODY_LINE}(?=${BREAK}|["'\`]|$)){0,1000}(?:${BREAK}${GUTTER}[A-Za-z0-9+/=]{16,1000})?`,
  'y',
)

/** Replaces each private key in PEM by one mark, also if its beginning or its end is missing, and the private lines of PuTTY. */
export function redactPrivateKeys(text: string): string {
  const withoutPem = text.includes('PRIVATE KEY') ? withoutTails(withoutKeys(text)) : text
  return withoutPem.includes('Private-Lines') ? withoutPuttyKeys(withoutPem) : withoutPem
}

function withoutPuttyKeys(text: string): string {
  let redacted = ''
  let at = 0
  for (const { 0: found, index } of text.matchAll(PUTTY)) {
    if (index < at) continue
    const start = index + found.length
    redacted += `${text.slice(at, start)} ${KEY}`
    at = endOfBody(text, start)
  }
  return redacted + text.slice(at)
}

/** One expression would search the end again for each beginning. */
function withoutKeys(text: string): string {
  const ends = [...text.matchAll(END)].map((end) => end.index + end[0].length)
  let nextEnd = 0
  let at = 0
  let redacted = ''
  for (const begin of text.matchAll(BEGIN)) {
    if (begin.index < at) continue
    while ((ends[nextEnd] ?? text.length) < begin.index) nextEnd += 1
    const end = ends[nextEnd]
    redacted += `${text.slice(at, begin.index)}${KEY}`
    at =
      end !== undefined && end - begin.index <= MAX_KEY_LENGTH
        ? end
        : endOfBody(text, begin.index + begin[0].length)
  }
  return redacted + text.slice(at)
}

function endOfBody(text: string, start: number): number {
  BODY.lastIndex = start
  const body = BODY.exec(text)?.[0] ?? ''
  // Without breaks, it may be a whole key on one line.
  const line = body === '' ? /[A-Za-z0-9+/=\s\\]*/y : undefined
  if (line) line.lastIndex = start
  return start + (line ? (line.exec(text)?.[0] ?? '') : body).trimEnd().length
}

/** Returns where the key begins whose end may be on the next line of a text that grows, or the length of the text. */
export function startOfOpenKey(text: string): number {
  const floor = Math.max(0, text.length - MAX_KEY_LENGTH)
  const recent = text.slice(floor)
  const [end] = [...recent.matchAll(END)].slice(-1)
  const from = end ? end.index + end[0].length : 0
  const [begin] = recent.slice(from).matchAll(BEGIN)
  return begin ? floor + from + begin.index : startOfBody(text, text.length, floor + from)
}

/** Hides the lines before an end whose beginning is missing. */
function withoutTails(text: string): string {
  let redacted = ''
  let at = 0
  for (const end of text.matchAll(END)) {
    const start = startOfBody(text, end.index, at)
    redacted += `${text.slice(at, start)}${KEY}`
    at = end.index + end[0].length
  }
  return redacted + text.slice(at)
}

const TAIL = new RegExp(`^${GUTTER}[A-Za-z0-9+/=]{16,1000}$`)
const LINE_BEFORE = /\r?\n|\\{1,8}n/g

function startOfBody(text: string, end: number, from: number): number {
  const floor = Math.max(from, end - MAX_KEY_LENGTH)
  const before = text.slice(floor, end)
  const breaks = [...before.matchAll(LINE_BEFORE)]
  // The last part is the beginning of the line of the end.
  let start = before.length
  for (let index = breaks.length - 1; index >= 0; index -= 1) {
    const lineEnd = breaks[index]?.index ?? 0
    const previous = breaks[index - 1]
    const lineStart = previous ? previous.index + previous[0].length : 0
    const line = before.slice(lineStart, lineEnd)
    if (TAIL.test(line)) start = lineStart + (new RegExp(`^${GUTTER}`).exec(line)?.[0].length ?? 0)
    else {
      const last = /[A-Za-z0-9+/=]{40,}$/.exec(line)
      if (last) start = lineStart + last.index
      break
    }
  }
  return floor + start
}
