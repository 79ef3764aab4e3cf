import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { sessionTitle } from '../../core/selectors/session-title.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactSession } from '../../redaction/session.ts'
import { snapshot } from '../../server/sync/snapshot.ts'
import { InputError } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'

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

/** Returns the HTML of the page of `agentfold serve`. The build puts it beside the command line. */
export function readPage(): Promise<string> {
  return readFile(new URL('./page.html', import.meta.url), 'utf8')
}

/** Returns the HTML of a report without its session. */
export function readReportPage(): Promise<string> {
  return readFile(new URL('./report.html', import.meta.url), 'utf8')
}

/** Returns the content security policy of the page: its own script and style run, and nothing else. */
export function contentSecurityPolicy(page: string): string {
  const [, policy = "default-src 'none'"] = POLICY.exec(page) ?? []
  return policy
}

/** The build writes the policy, and it has no quotes but single ones. */
const POLICY = /<meta http-equiv="content-security-policy" content="([^"]*)">/

interface ReportFile {
  readonly file: string
  readonly redact: Redact | undefined
  /** The HTML of the page. */
  readonly page: string
}

/** Writes a session as one HTML file, and returns a line that states its size. Throws an `InputError` if it cannot write the file. */
export async function writeReport(
  state: SessionConversationState,
  { file, redact, page }: ReportFile,
): Promise<string> {
  const html = Buffer.from(htmlReport(state, { page, redact }))
  if (!(await isReplaceable(file)))
    throw new InputError(`${file}: exists and is no HTML file, so it stays: choose another name`)
  try {
    await writeFile(file, html)
  } catch (error) {
    throw new InputError(`${file}: cannot be written: ${reasonOf(error)}`, { cause: error })
  }
  return `wrote ${oneLine(file)}, ${sizeOf(html.length)}\n`
}

/** A person may name the session's own file by mistake, so only an empty file and an HTML file are replaced. A device is no file. */
async function isReplaceable(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined)
  if (!stats?.isFile() || stats.size === 0) return true
  return /^\s*<(!doctype html|html)/i.test(await beginningOf(path))
}

/** A file that cannot be read has no beginning. */
async function beginningOf(path: string): Promise<string> {
  const chunks = createReadStream(path, { encoding: 'utf8', end: 99 })
  return (await chunks.toArray().catch(() => [])).join('')
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such folder',
  ENOTDIR: 'no such folder',
  EISDIR: 'it is a folder',
  EACCES: 'no permission',
  ENOSPC: 'the disk is full',
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
  return REASONS[code] ?? code
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
