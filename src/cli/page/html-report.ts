import { readFile } from 'node:fs/promises'
import { sessionTitle } from '../../core/selectors/session-title.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactSession } from '../../redaction/session.ts'
import { snapshot } from '../../server/sync/snapshot.ts'

interface ReportOptions {
  /** The HTML of the page. */
  readonly page: string
  /** Applied to every text of the session. The default changes nothing. */
  readonly redact?: Redact | undefined
}

/** Returns one HTML file that shows the session. It needs no network, and its content security policy refuses every request. */
export function htmlReport(state: SessionConversationState, { page, redact }: ReportOptions): string {
  const shown = redact ? redactSession(state, redact) : state
  const name = sessionTitle(shown)?.replace(/[&<]/g, (character) => ENTITIES[character] ?? character)
  const named = page.replace(/<title>[^<]*/, (title) => (name === undefined ? title : `<title>${name}`))
  return withData(named, 'session', snapshot({ epoch: 'report', seq: 0, state: shown }))
}

/** Returns a page with a value as JSON in the element of that id. Its content security policy refuses every request. */
export function withData(page: string, id: string, value: unknown): string {
  const place = page.indexOf(PLACE)
  if (place === -1) throw new TypeError('the page has no place for a session: build it again')
  const before = page.slice(0, place).replace("connect-src 'self'", "connect-src 'none'")
  const data = `<script type="application/json" id="${id}">${escapeJson(JSON.stringify(value))}</script>`
  return before + data + page.slice(place + PLACE.length)
}

/** The build leaves this mark where the data of a report stands. */
const PLACE = '<!-- session -->'

/** A `<` could end the script element. Some readers take the two separators for the end of a line. */
function escapeJson(json: string): string {
  return json.replace(/[<\u2028\u2029]/g, (character) => ESCAPES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;' }

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
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
