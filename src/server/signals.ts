// Every wait of the server, of a page's connection and of a follower ends by these functions and a signal.

/** Calls the function when the signal aborts, or now if it has. Returns a function that takes the call back. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener()
  else signal.addEventListener('abort', listener)
  return () => signal.removeEventListener('abort', listener)
}

/** Returns the result, or undefined if the signal aborts first. */
export function before<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const stop = onAbort(signal, () => resolve(undefined))
    void work.then(resolve, reject).finally(stop)
  })
}

/** Returns the items until the signal aborts. It does not wait for an item that never comes. */
export async function* until<Item>(
  signal: AbortSignal,
  items: AsyncIterable<Item>,
): AsyncGenerator<Item, void> {
  const iterator = items[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await before(signal, iterator.next())
      if (!next || next.done) return
      yield next.value
    }
  } finally {
    void iterator.return?.().catch(() => {})
  }
}

/** Resolves after that many milliseconds, or when the signal aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Wake().next({ ms, signal })
}

/** Wakes somebody who waits. */
export class Wake {
  #resolve = (): void => {}

  wake(): void {
    this.#resolve()
  }

  /** Resolves at the next `wake` after this call, after that many milliseconds, or when the signal aborts. */
  next({
    ms,
    signal,
  }: {
    readonly ms?: number | undefined
    readonly signal?: AbortSignal | undefined
  } = {}): Promise<void> {
    return new Promise((resolve) => {
      let stop = (): void => {}
      const timer = ms === undefined ? undefined : setTimeout(() => end(), ms)
      const end = (): void => {
        clearTimeout(timer)
        stop()
        resolve()
      }
      this.#resolve = end
      if (signal) stop = onAbort(signal, end)
    })
  }
}

/**
 * Returns signals that abort with the given one. Node warns of a signal with more than ten listeners, and a stream or
 * a worker may have hundreds of sessions.
 */
export function ownSignals(signal: AbortSignal): () => AbortSignal {
  const controllers: AbortController[] = []
  onAbort(signal, () => {
    for (const controller of controllers) controller.abort()
  })
  return () => {
    const controller = new AbortController()
    controllers.push(controller)
    if (signal.aborted) controller.abort()
    return controller.signal
  }
}
