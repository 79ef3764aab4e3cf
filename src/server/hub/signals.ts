/**
 * Returns signals that abort with the given one. Node warns of a signal with more than ten listeners, and a stream may
 * have hundreds of sessions.
 */
export function ownSignals(signal: AbortSignal): () => AbortSignal {
  const controllers: AbortController[] = []
  signal.addEventListener('abort', () => {
    for (const controller of controllers) controller.abort()
  })
  return () => {
    const controller = new AbortController()
    controllers.push(controller)
    if (signal.aborted) controller.abort()
    return controller.signal
  }
}

/** Resolves after that many milliseconds, or when the signal aborts. Without a time, it waits for the signal. */
export function pause(ms: number | undefined, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = ms === undefined ? undefined : setTimeout(end, ms)
    signal.addEventListener('abort', end)
  })
}
