import { writeFile } from 'node:fs/promises'
import type { SessionConversationState } from '../../state/session.ts'
import { InputError } from '../input-error.ts'
import { htmlReport, type Redact } from './html-report.ts'
import { readPage } from './page.ts'

interface ReportFile {
  readonly file: string
  readonly redact: Redact | undefined
  /** The HTML of the page. The default is the page of the package. */
  readonly page?: string
}

/** Writes a session as one HTML file, and returns a line that states its size. Throws an `InputError` if it cannot write the file. */
export async function writeReport(
  state: SessionConversationState,
  { file, redact, page }: ReportFile,
): Promise<string> {
  const html = Buffer.from(htmlReport(state, { page: page ?? (await readPage()), redact }))
  try {
    await writeFile(file, html)
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new InputError(`${file}: cannot be written (${reason})`, { cause: error })
  }
  return `wrote ${file}, ${sizeOf(html.length)}\n`
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
