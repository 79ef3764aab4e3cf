/** A set of listeners for changes. */
export class Listeners {
  readonly #listeners = new Set<() => void>()

  /** Returns a function that ends this subscription. The same function may subscribe several times, each time on its own. */
  subscribe(listener: () => void): () => void {
    const subscription = (): void => {
      // An earlier listener of the same change may have ended this subscription.
      if (this.#listeners.has(subscription)) listener()
    }
    this.#listeners.add(subscription)
    return () => this.#listeners.delete(subscription)
  }

  all(): readonly (() => void)[] {
    return [...this.#listeners]
  }
}

/** Returns a function that passes the selected value to the listener if it changed since the last call, by `Object.is`. */
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

/** Calls every listener, also if one throws. Then it throws the one error, or an `AggregateError` of several. */
export function callAll(listeners: readonly (() => void)[]): void {
  const errors: unknown[] = []
  for (const listener of listeners)
    try {
      listener()
    } catch (error) {
      errors.push(error)
    }
  if (errors.length === 1) throw errors[0]
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} listeners failed`)
}

/** Calls every listener. An error has no other caller, so the host gets it later, and the connection that has called goes on. */
export function callAllOfConnection(listeners: readonly (() => void)[]): void {
  try {
    callAll(listeners)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
