import type { SessionEvent } from 'agentfold'
import { type RunningServer, type ServerOptions, startServer } from '../../src/cli/serve/server.ts'
import { buildPage } from './bundle.ts'

export interface AppOptions extends Partial<ServerOptions> {
  /** The events of the session. The page shows each one as soon as it arrives. */
  readonly events?: Iterable<SessionEvent> | AsyncIterable<SessionEvent>
}

export interface RunningApp extends RunningServer {
  /** Resolves after the last of `events`. Rejects if they cannot be read. */
  readonly ended: Promise<void>
}

/** Serves the page of `agentfold serve` with events of another kind, such as those of a recording that runs again. */
export async function startApp({ events = [], page, ...options }: AppOptions = {}): Promise<RunningApp> {
  const server = await startServer({ page: page ?? (await buildPage()), ...options })
  const closing = new AbortController()
  const ended = appendAll(events, server, closing.signal)
  // A caller that does not await `ended` must not crash from an unhandled rejection.
  ended.catch(() => {})
  const close = (): Promise<void> => {
    closing.abort()
    return server.close()
  }
  return {
    url: server.url,
    get epoch() {
      return server.epoch
    },
    get stamped() {
      return server.stamped
    },
    append: server.append,
    snapshot: server.snapshot,
    ended,
    close,
  }
}

async function appendAll(
  events: Required<AppOptions>['events'],
  server: RunningServer,
  closing: AbortSignal,
): Promise<void> {
  for await (const event of events) {
    if (closing.aborted) return
    server.append(event)
  }
}
