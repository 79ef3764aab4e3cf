import { BREAK, GUTTER, KEY, QUOTE, SECRET } from './marks.ts'
import { withoutUnseen } from './printable.ts'
import { startOfOpenList } from './words.ts'

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
function startOfOpenKey(text: string): number {
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

/** The members of a JSON Web Key that only its owner knows (RFC 7518, section 6). The other members are public. */
const PRIVATE_MEMBER = new RegExp(
  String.raw`((?:${QUOTE})(?:d|p|q|dp|dq|qi|k)(?:${QUOTE})\s{0,8}:\s{0,8}(?:${QUOTE}))[A-Za-z0-9_-]{16}[A-Za-z0-9_-]*`,
  'g',
)
const KEY_TYPE = new RegExp(`(?:${QUOTE})kty(?:${QUOTE})`)

/** An escaped line break may stand before a word. */
const WORD_START = String.raw`(?:\b|(?<=\\[nrt]))`

/** An entry of a map in YAML. It stands further right than the name of the map. */
const YAML_ENTRY = String.raw`${BREAK}${GUTTER}(?<=  )[\w.-]{1,100}:[ \t]{1,8}`
const YAML_MAP = new RegExp(
  String.raw`${WORD_START}(?:data|stringData):[ \t]{0,8}(?:${YAML_ENTRY}[^\s\\][^\r\n\\]{0,100000}){1,200}`,
  'g',
)
const YAML_VALUE = new RegExp(String.raw`(${YAML_ENTRY})[^\s\\][^\r\n\\]*`, 'g')
const JSON_MAP = new RegExp(
  String.raw`(?:${QUOTE})(?:data|stringData)(?:${QUOTE})\s{0,8}:\s{0,8}\{[^{}]{0,100000}\}`,
  'g',
)
const JSON_VALUE = new RegExp(String.raw`((?:${QUOTE})\s{0,8}:\s{0,8}(\\{0,15}"))[^"\\]{1,100000}`, 'g')

/** A secret of Kubernetes. The names of its entries say nothing, and their values are in base64. */
const KUBERNETES_SECRET = new RegExp(
  String.raw`${WORD_START}kind(?:${QUOTE})?:[ \t]{0,8}(?:${QUOTE})?Secret\b`,
)

/** Replaces the private members of JSON Web Keys, and the values of Kubernetes secrets. */
export function redactKeyObjects(text: string): string {
  const withoutMembers = KEY_TYPE.test(text) ? text.replace(PRIVATE_MEMBER, `$1${KEY}`) : text
  if (!KUBERNETES_SECRET.test(text)) return withoutMembers
  return withoutMembers
    .replace(YAML_MAP, (map) => map.replace(YAML_VALUE, `$1${SECRET}`))
    .replace(JSON_MAP, (map) => map.replace(JSON_VALUE, `$1${SECRET}`))
}

/** Returns where the object begins whose later lines may say that it is a secret, or the length of the text. */
function startOfOpenObject(text: string): number {
  const member = KEY_TYPE.test(text) ? -1 : text.search(PRIVATE_MEMBER)
  if (member >= 0 && !text.includes('}', member)) return member
  const map = text.includes('apiVersion') ? text.search(/\b(?:data|stringData):[ \t]*[\r\n]/) : -1
  return map >= 0 && !/\bkind:/.test(text) ? map : text.length
}

/** Whether no rule can read the file. */
export function isBinary(mediaType: string): boolean {
  return /^(?:image|audio|video|font)\//.test(mediaType)
}

/** A file as an address: its media type, its parameters and its bytes. */
const DATA_ADDRESS = /^(data:([^,;]*)(?:;[^,;]*)*;base64,)(.*)$/is

/** Redacts a text file whose bytes are in base64, such as an attached `.env`. Other files stay as they are. */
export function redactEncoded(data: string, mediaType: string, redact: (text: string) => string): string {
  const text = isBinary(mediaType) ? undefined : decoded(data)
  if (text === undefined) return data
  const redacted = redact(text)
  return redacted === text ? data : encoded(redacted)
}

/** Redacts an address. The one of a file may have the file in it. */
export function redactAddress(address: string, redact: (text: string) => string): string {
  const [, head, mediaType = '', data] =
    address.slice(0, 5) === 'data:' ? (DATA_ADDRESS.exec(address) ?? []) : []
  return head === undefined || data === undefined
    ? redact(address)
    : head + redactEncoded(data, mediaType, redact)
}

/** Returns the text of the bytes, or undefined if they are none. */
function decoded(data: string): string | undefined {
  try {
    const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function encoded(text: string): string {
  const bytes = new TextEncoder().encode(text)
  const characters: string[] = []
  for (const byte of bytes) characters.push(String.fromCharCode(byte))
  return btoa(characters.join(''))
}

/**
 * Returns the beginning of a text that still grows: no later text can make a secret of it. The last line may go
 * on. Later lines explain the lines of a private key, of a list of arguments and of an object that is a secret.
 */
export function settledText(text: string): string {
  const end = text.lastIndexOf('\n') + 1
  // The rules see the text without its colours, so they may see other lines in it.
  const visible = withoutUnseen(text.slice(0, end))
  const open = Math.min(startOfOpenKey(visible), startOfOpenList(visible), startOfOpenObject(visible))
  return text.slice(0, startOfLastLines(text, end, visible.slice(open).split('\n').length - 1))
}

/** Returns the start of that many lines before the end, which is the start of a line too. */
function startOfLastLines(text: string, end: number, count: number): number {
  let start = end
  for (let left = count; left > 0 && start > 0; left -= 1)
    start = start > 1 ? text.lastIndexOf('\n', start - 2) + 1 : 0
  return start
}
