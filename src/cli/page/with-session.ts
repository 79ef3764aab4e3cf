import { sessionTitle } from '../../core/selectors/session-title.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { snapshot } from '../../server/sync/snapshot.ts'

/** Returns the page of a report with its session, which needs no network: its content security policy refuses every request. */
export function withSession(page: string, state: SessionConversationState): string {
  const name = sessionTitle(state)?.replace(/[&<]/g, (character) => ENTITIES[character] ?? character)
  const named = page.replace(/<title>[^<]*/, (title) => (name === undefined ? title : `<title>${name}`))
  return withData(named, 'session', snapshot({ epoch: 'report', seq: 0, state }))
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
