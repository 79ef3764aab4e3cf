import { readFile } from 'node:fs/promises'
import { isObject } from '../../json/values.ts'
import { printable } from '../../sinks/markdown/text/lines.ts'
import type { SessionConversationState } from '../../state/session.ts'
import { snapshot } from '../../sync/snapshot.ts'
import { DIRECTIONS } from '../show/view.ts'

export type Redact = (text: string) => string

/** Codes of a terminal and marks of directions, which no one sees. They may stand within a key and hide it from a redaction. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it finds
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

interface ReportOptions {
  /** The HTML of the page. */
  readonly page: string
  /** Applied to every text of the session. The default changes nothing. */
  readonly redact?: Redact | undefined
}

/** Returns one HTML file that shows the session. It needs no network, and its content security policy refuses every request. */
export function htmlReport(state: SessionConversationState, { page, redact }: ReportOptions): string {
  const placed = snapshot({ epoch: 'report', seq: 0, state })
  const hide = redact && visibleRedact(redact)
  const json = JSON.stringify(placed, hide && ((key, value) => redacted(key, value, hide)))
  const place = page.indexOf(PLACE)
  if (place === -1) throw new TypeError('the page has no place for a session: build it again')
  const before = page.slice(0, place).replace("connect-src 'self'", "connect-src 'none'")
  const data = `<script type="application/json" id="session">${escapeJson(json)}</script>`
  return before + data + page.slice(place + PLACE.length)
}

/** Redacts the text that a person sees. A text keeps its colours if they hide nothing. */
function visibleRedact(redact: Redact): Redact {
  return (text) => {
    if (!INVISIBLE.test(text)) return redact(text)
    const visible = printable(text).replace(DIRECTIONS, '')
    const redacted = redact(visible)
    return redacted === visible ? redact(text) : redacted
  }
}

/** The build leaves this mark where the data of a report stands. */
const PLACE = '<!-- session -->'

/** A `<` could end the script element. Some readers take the two separators for the end of a line. */
function escapeJson(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => ESCAPES[character] ?? character)
}

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Views compare and link by these fields of a state. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...['type', 'status', 'kind', 'id', 'conversationId', 'toolUseId', 'messageId', 'parentConversationId'],
  ...['epoch', 'origin', 'timestamp', 'mediaType', 'startedAt', 'endedAt'],
])

/** JSON of the program, whose fields may have the names of a state's fields. */
const FOREIGN: ReadonlySet<string> = new Set(['input', 'output', 'data'])

function redacted(key: string, value: unknown, redact: Redact): unknown {
  if (FOREIGN.has(key)) return mapStrings(value, redact)
  return typeof value === 'string' && !STRUCTURE.has(key) ? redact(value) : value
}

function mapStrings(value: unknown, map: Redact): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      map(key),
      namesSecret(key, map) ? SECRET : mapStrings(item, map),
    ]),
  )
}

const SECRET = '[secret]'

/** A value that no rule finds by itself. */
const SAMPLE = 'x1y2z3x1y2z3'

/** Whether the redaction hides each value of such a key. A value alone does not show whose it is. */
function namesSecret(key: string, redact: Redact): boolean {
  return !redact(JSON.stringify({ [key]: SAMPLE })).includes(SAMPLE)
}

/** Returns the HTML of the page. The build puts it beside the command line. */
export function readPage(): Promise<string> {
  return readFile(new URL('./page.html', import.meta.url), 'utf8')
}

/** Returns the content security policy of the page: its own script and style run, and nothing else. */
export function contentSecurityPolicy(page: string): string {
  const [, policy = "default-src 'none'"] = POLICY.exec(page) ?? []
  return policy
}

/** The build writes the policy, and it has no quotes but single ones. */
const POLICY = /<meta http-equiv="content-security-policy" content="([^"]*)">/
