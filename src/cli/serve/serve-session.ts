import { type FollowUpdate, followSession } from '../../node/follow/follow-session.ts'
import type { Architecture } from '../../programs/program.ts'
import { createSessionHub } from '../../server/hub/session-hub.ts'
import { readPipe } from '../read-path.ts'
import { followTitle } from './follow-title.ts'
import { isMachinePage, LIST, Machine, type MachineOptions } from './machine/machine.ts'
import { onlySession, SESSION_ID } from './only-session.ts'
import { type RunningServer, type ServerOptions, startServer } from './server.ts'
import { SessionWriter } from './session-writer.ts'

export interface ServedSession extends RunningServer {
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
  const hub = createSessionHub()
  const writer = new SessionWriter({ hub, sessionId: SESSION_ID, redact, title })
  if (!first.done) writer.write(first.value)
  void followTitle(writer, { path, signal })
  try {
    await writer.written
    const content = onlySession(hub)
    const served = await serveWhile(() => followInto(writer, updates), { ...options, content })
    return { ...served, isWaiting: !first.done && isUnknown(first.value) }
  } catch (error) {
    // A watcher that goes on would keep the process alive.
    await updates.return?.()
    throw error
  }
}

/** Whether no content has shown a format yet. The place of a long session is dear. */
function isUnknown({ events, saveProgress }: FollowUpdate): boolean {
  return events.length === 0 && saveProgress() === undefined
}

/** Serves the list of all sessions of this machine, and each of them. */
export async function serveMachine({
  page,
  port,
  ...options
}: ServeOptions & Pick<MachineOptions, 'home' | 'now'>): Promise<ServedSession> {
  const content = new Machine(options)
  const { url, close } = await startServer({ page, isPage: isMachinePage, content, port })
  return { url: `${url}${LIST}`, close, ended: Promise.resolve() }
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
  const hub = createSessionHub()
  const writer = new SessionWriter({ hub, sessionId: SESSION_ID, redact })
  const read = async () => {
    await readPipe(chunks, format, { onEvents: (events) => writer.write({ events, startsOver: false }) })
    await writer.written
  }
  return serveWhile(read, { ...options, content: onlySession(hub) })
}

/** Reads only if the server starts, because an open pipe would keep the process alive. */
async function serveWhile(read: () => Promise<void>, options: ServerOptions): Promise<ServedSession> {
  const server = await startServer(options)
  const ended = read()
  // The caller awaits it later. Until then, a failure must not crash the program.
  ended.catch(() => {})
  return { ...server, ended }
}

/** Takes the next update when the hub has the last one. */
async function followInto(writer: SessionWriter, updates: AsyncIterator<FollowUpdate>): Promise<void> {
  for (let next = await updates.next(); !next.done; next = await updates.next()) {
    writer.write(next.value)
    await writer.written
  }
}
