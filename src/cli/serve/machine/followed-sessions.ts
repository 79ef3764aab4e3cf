import { followSession } from '../../../node/follow/follow-session.ts'
import type { SessionSummary } from '../../../node/list/session-summary.ts'
import { createSessionHub, type SessionHub } from '../../../server/hub/session-hub.ts'
import { followTitle, SessionWriter } from '../session-writer.ts'

/** A page that is loaded again, or left and opened again, finds its session ready. */
const LINGER_MS = 30_000

interface Followed {
  readonly stop: AbortController
  /** Resolves when readers get the session. */
  readonly isReady: Promise<unknown>
  readers: number
  linger: NodeJS.Timeout | undefined
}

interface FollowOptions {
  readonly redact: true | undefined
  /** Ends the following of all sessions. */
  readonly signal: AbortSignal
}

/** Follows each session that somebody looks at, and no other. */
export class FollowedSessions {
  readonly #hub = createSessionHub()
  readonly #options: FollowOptions
  readonly #followed = new Map<string, Followed>()

  constructor(options: FollowOptions) {
    this.#options = options
  }

  /** Answers with the events of a session. The last part of the address is the id. Rejects if the session cannot be read. */
  async answer(request: Request, id: string, session: SessionSummary): Promise<Response> {
    // Its reader has gone, and nobody would end the following.
    if (request.signal.aborted) return new Response()
    const followed = this.#followed.get(id) ?? this.#follow(id, session)
    clearTimeout(followed.linger)
    followed.readers += 1
    request.signal.addEventListener('abort', () => this.#leave(id, followed))
    await followed.isReady
    return this.#hub.fetch(request)
  }

  #follow(id: string, session: SessionSummary): Followed {
    const stop = new AbortController()
    const publishNext = this.#publisher(id, session, AbortSignal.any([this.#options.signal, stop.signal]))
    const isReady = publishNext()
    const followed: Followed = { stop, isReady, readers: 0, linger: undefined }
    this.#followed.set(id, followed)
    const publishAll = async () => {
      while (await publishNext());
    }
    // A session that cannot be read any more has an end. Its readers keep what they have, and the next one follows it
    // anew.
    isReady.then(publishAll).catch(() => this.#forget(id, followed))
    return followed
  }

  /** Returns a function that publishes the next update of a session, and resolves to false at the end. */
  #publisher(id: string, { path, title }: SessionSummary, signal: AbortSignal): () => Promise<boolean> {
    const updates = followSession(path, { signal })[Symbol.asyncIterator]()
    // The next reader may follow the session anew, and nothing of the old following may come between.
    const publish: SessionHub['publish'] = async (...update) =>
      signal.aborted ? 0 : this.#hub.publish(...update)
    const writer = new SessionWriter({ hub: { publish }, sessionId: id, title, redact: this.#options.redact })
    void followTitle(writer, { path, signal })
    return async () => {
      const { done = false, value } = await updates.next()
      if (done) return false
      writer.write(value)
      await writer.written
      return true
    }
  }

  #leave(id: string, followed: Followed): void {
    followed.readers -= 1
    if (followed.readers === 0)
      followed.linger = setTimeout(() => this.#forget(id, followed), LINGER_MS).unref()
  }

  #forget(id: string, followed: Followed): void {
    followed.stop.abort()
    if (this.#followed.get(id) !== followed) return
    this.#followed.delete(id)
    void this.#hub.delete(id)
  }
}
