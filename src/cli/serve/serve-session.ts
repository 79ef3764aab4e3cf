import { followSession, type SessionUpdate } from '../../node/follow/follow-session.ts'
import type { Architecture } from '../../programs/program.ts'
import type { SessionConversationState } from '../../state/session.ts'
import { readPipe } from '../read-path.ts'
import { withTitle } from '../session-reference.ts'
import { ServedLog } from './served-log.ts'
import { type RunningServer, type ServerOptions, startServer } from './server.ts'
import { type SessionWriter, writerOf } from './session-writer.ts'

export interface ServedSession extends Pick<RunningServer, 'url' | 'close'> {
  /** The file has no session yet. */
  readonly isWaiting?: boolean
  /** Resolves when the session has no more content: at the end of a pipe, or after `signal`. Rejects if the session cannot be read. */
  readonly ended: Promise<void>
}

interface ServeOptions extends Pick<ServerOptions, 'page' | 'port'> {
  /** Hides keys, passwords, addresses and home folders. */
  readonly redact?: true | undefined
  /** The title that the program or the person gave the session. */
  readonly title?: string | undefined
  /** Ends the following of a file. */
  readonly signal: AbortSignal
}

/** Serves the session at the path, and follows it while it grows. Throws a `TranscriptError` before it serves a file that it cannot read. */
export async function serveFile(
  path: string,
  { signal, redact, title, ...options }: ServeOptions,
): Promise<ServedSession> {
  const updates = followSession(path, { signal })[Symbol.asyncIterator]()
  const first = await updates.next()
  const log = new ServedLog()
  const { replaceState, append } = writerOf(log, redact)
  const writer = {
    append,
    replaceState: (state: SessionConversationState) => replaceState(withTitle(state, title)),
  }
  if (!first.done) writer.replaceState(first.value.state)
  try {
    const served = await serveWhile(() => followInto(writer, updates), { ...options, log })
    return { ...served, isWaiting: !first.done && first.value.saveProgress() === undefined }
  } catch (error) {
    // A watcher that goes on would keep the process alive.
    await updates.return?.()
    throw error
  }
}

/** Serves the session of a pipe. */
export async function servePipe(
  chunks: AsyncIterable<Uint8Array | string>,
  {
    format,
    redact,
    ...options
  }: Pick<ServeOptions, 'page' | 'port' | 'redact'> & { readonly format: Architecture | undefined },
): Promise<ServedSession> {
  const log = new ServedLog()
  const writer = writerOf(log, redact)
  const read = async () => {
    await readPipe(chunks, format, { onEvents: writer.append })
  }
  return serveWhile(read, { ...options, log })
}

/** Reads only if the server starts, because an open pipe would keep the process alive. */
async function serveWhile(read: () => Promise<void>, options: ServerOptions): Promise<ServedSession> {
  const { url, close } = await startServer(options)
  const ended = read()
  // The caller awaits it later. Until then, a failure must not crash the program.
  ended.catch(() => {})
  return { url, close, ended }
}

async function followInto(writer: SessionWriter, updates: AsyncIterator<SessionUpdate>): Promise<void> {
  for (let next = await updates.next(); !next.done; next = await updates.next()) {
    const { state, events, issues } = next.value
    if (issues.some(({ code }) => code === 'restarted')) writer.replaceState(state)
    else writer.append(events)
  }
}
