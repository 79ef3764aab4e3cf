/** A value that waits for the reader, and what lets its source go on. */
interface Ready<Value> {
  readonly value: Value
  readonly release: () => void
}

/**
 * Yields the values of all sources as they come. Each source makes its next value when the reader has taken the last one, so a slow reader fills no
 * memory. It ends when all sources have ended, and fails if one of them does.
 */
export async function* merged<Value>(
  sources: readonly AsyncGenerator<Value, void>[],
): AsyncGenerator<Value, void> {
  const ready: Ready<Value>[] = []
  let wake = (): void => {}
  let running = sources.length
  let failure: { readonly error: unknown } | undefined
  const pump = async (source: AsyncGenerator<Value, void>): Promise<void> => {
    try {
      for await (const value of source)
        await new Promise<void>((release) => {
          ready.push({ value, release })
          wake()
        })
    } catch (error) {
      failure ??= { error }
    } finally {
      running -= 1
      wake()
    }
  }
  for (const source of sources) void pump(source)
  try {
    for (;;) {
      const next = ready.shift()
      if (next) {
        yield next.value
        next.release()
      } else if (failure) throw failure.error
      else if (running === 0) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    for (const source of sources) void source.return()
    for (const { release } of ready) release()
  }
}
