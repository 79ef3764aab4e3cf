import { setImmediate } from 'node:timers/promises'
import type { Architecture } from '../../programs/program.ts'
import { redactAll } from '../../redaction/redactions.ts'
import { redactSession } from '../../redaction/session.ts'
import { toMarkdown } from '../../sinks/markdown/to-markdown.ts'
import { readPage } from '../page/html-report.ts'
import { writeReport } from '../page/write-report.ts'
import { type PathReading, readPath } from '../read-path.ts'
import { type SessionReference, titleOf, withTitle } from '../session-reference.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { conversationOf, sessionLines } from './session.ts'

/** The options of the commands that show sessions. */
export interface ShowOptions {
  readonly agent?: string
  readonly full?: true
  /** Shows only that many blocks at the end. */
  readonly tail?: number
  readonly markdown?: true
  /** The path of the HTML file to write. */
  readonly html?: string
  readonly redact?: true
  readonly format?: Architecture
}

/** Prints the conversation of a session, or writes it as an HTML file. */
export async function printSession(
  reference: SessionReference,
  options: ShowOptions,
  terminal: Terminal,
): Promise<number> {
  const { path } = reference
  const read = await readPath({ path, format: options.format }, terminal)
  const reading = { ...read, state: withTitle(read.state, await titleOf(reference)) }
  if (options.html !== undefined) {
    const page = terminal.page ?? (await readPage())
    const file = { file: options.html, redact: options.redact && redactAll, page }
    terminal.write(await writeReport(reading.state, file))
  } else if (options.markdown) terminal.write(markdownOf(reading, options))
  else {
    const lines = viewOf(reading, options, terminal)
    if (terminal.paged) await terminal.paged((write) => writeLines(lines, write))
    else await writeLines(lines, terminal.write)
  }
  return 0
}

function markdownOf({ state }: PathReading, { agent, full, redact }: ShowOptions): string {
  return toMarkdown(state, {
    conversationId: conversationOf(state, agent),
    ...(redact && { redact: redactAll }),
    ...(full && { toolOutputLines: Number.POSITIVE_INFINITY }),
  })
}

/** Returns the options of a view of sessions. */
export function viewOptions(options: ShowOptions, terminal: Terminal): Parameters<typeof sessionLines>[1] {
  return {
    columns: terminal.columns ?? DEFAULT_COLUMNS,
    isStyled: terminal.isStyled,
    isFull: options.full === true,
    redact: options.redact ? redactAll : (text) => text,
    agent: options.agent,
    tail: options.tail,
  }
}

function viewOf(reading: PathReading, options: ShowOptions, terminal: Terminal): Iterable<string> {
  const state = options.redact ? redactSession(reading.state, redactAll) : reading.state
  return sessionLines({ ...reading, state }, viewOptions(options, terminal))
}

/** For a pipe, which has no width. */
const DEFAULT_COLUMNS = 80

/** Between two batches, the process can notice that nobody reads the output any more. */
const BATCH = 200

async function writeLines(lines: Iterable<string>, write: (text: string) => unknown): Promise<void> {
  let batch: string[] = []
  const flush = () => {
    if (batch.length > 0) write(`${batch.join('\n')}\n`)
    batch = []
  }
  for (const line of lines) {
    batch.push(line)
    if (batch.length < BATCH) continue
    flush()
    await setImmediate()
  }
  flush()
}
