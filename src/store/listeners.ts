/** Who wants to be told of changes. */
export class Listeners {
  readonly #listeners = new Set<() => void>()

  /** Returns what ends it. Each subscription is one of its own, though the function be the same. */
  subscribe(listener: () => void): () => void {
    const own = (): void => {
      // It may end while the others are told.
      if (this.#listeners.has(own)) listener()
    }
    this.#listeners.add(own)
    return () => this.#listeners.delete(own)
  }

  all(): readonly (() => void)[] {
    return [...this.#listeners]
  }
}

/** Returns a listener that passes on what is selected when that has become another value, by `Object.is`. */
export function onChange<Selected>(
  select: () => Selected,
  listener: (selected: Selected, before: Selected) => void,
): () => void {
  let selected = select()
  return () => {
    const before = selected
    selected = select()
    if (!Object.is(selected, before)) listener(selected, before)
  }
}

/** Calls all of them; one that throws must not keep the news from the others. Throws what they threw. */
export function callAll(listeners: readonly (() => void)[]): void {
  const errors: unknown[] = []
  for (const listener of listeners)
    try {
      listener()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} listeners have failed`)
}
