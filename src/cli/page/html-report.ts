import { createReadStream } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import type { SessionConversationState } from '../../core/state/session.ts'
import type { Redact } from '../../redaction/options.ts'
import { redactSession } from '../../redaction/session.ts'
import { InputError } from '../terminal/terminal.ts'
import { oneLine } from '../terminal/text.ts'
import { withSession } from './with-session.ts'

interface ReportOptions {
  /** The HTML of the page. */
  readonly page: string
  /** Applied to every text of the session. The default changes nothing. */
  readonly redact?: Redact | undefined
}

/** Returns one HTML file that shows the session. It needs no network, and its content security policy refuses every request. */
export function htmlReport(state: SessionConversationState, { page, redact }: ReportOptions): string {
  return withSession(page, redact ? redactSession(state, redact) : state)
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
