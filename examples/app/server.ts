import type { SessionEvent } from 'agentfold'
import { createSessionHub, type SessionHub } from 'agentfold/hub'
import {
  onlySession,
  type RunningServer,
  SESSION_ID,
  type ServerOptions,
  startServer,
} from '../../src/cli/serve/serve-session.ts'
import { buildPage } from '../../tools/page/bundle.ts'

export interface AppOptions extends Partial<Omit<ServerOptions, 'content' | 'isPage'>> {
  /** The events of the session. The page shows each one as soon as it arrives. */
  readonly events?: Iterable<SessionEvent> | AsyncIterable<SessionEvent>
  /** Called when a reader connects. */
  readonly onReader?: () => void
  /** Sends the session. The default is a hub of its own. */
  readonly hub?: SessionHub
}

export interface RunningApp extends RunningServer {
  readonly append: (events: readonly SessionEvent[]) => Promise<unknown>
  /** Resolves after the last of `events`. Rejects if they cannot be read. */
  readonly ended: Promise<void>
}

/** Serves the page of `agentfold serve` with events of another kind, such as those of a recording that runs again. */
export async function startApp({
  events = [],
  page,
  onReader = () => {},
  hub = createSessionHub(),
  ...options
}: AppOptions = {}): Promise<RunningApp> {
  const append: RunningApp['append'] = (added) => hub.publish(SESSION_ID, added)
  const content = onlySession({
    fetch: (request) => {
      onReader()
      return hub.fetch(request)
    },
  })
  const server = await startServer({ page: page ?? (await buildPage()), content, ...options })
  const closing = new AbortController()
  const ended = appendAll(events, append, closing.signal)
  // A caller that does not await `ended` must not crash from an unhandled rejection.
  ended.catch(() => {})
  const close = (): Promise<void> => {
    closing.abort()
    return server.close()
  }
  return { url: server.url, append, ended, close }
}

async function appendAll(
  events: Required<AppOptions>['events'],
  append: RunningApp['append'],
  closing: AbortSignal,
): Promise<void> {
  for await (const event of events) {
    if (closing.aborted) return
    await append([event])
  }
}
