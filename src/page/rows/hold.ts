import { Choices } from './choices.ts'

/** The row that the reader asked for. It stays where it is while the session grows, until the reader scrolls. */
export class Hold extends Choices {
  #key: string | undefined

  /** The key of the held row. */
  get key(): string | undefined {
    return this.#key
  }

  take(key: string): void {
    this.#key = key
    this.changed()
  }

  readonly release = (): void => {
    if (this.#key === undefined) return
    this.#key = undefined
    this.changed()
  }

  /** Releases the row as soon as the reader scrolls. Returns a function that ends it. */
  readonly watchReader = (): (() => void) => {
    const stop = new AbortController()
    const options = { signal: stop.signal, passive: true, capture: true }
    const onInput = (event: Event): void => {
      const isBeside = event.target instanceof Element && event.target.closest('.side') !== null
      const isScroll = !(event instanceof KeyboardEvent) || SCROLL_KEYS.has(event.key)
      if (isScroll && !isBeside) this.release()
    }
    for (const type of ['wheel', 'touchmove', 'keydown']) window.addEventListener(type, onInput, options)
    return () => stop.abort()
  }
}

const SCROLL_KEYS: ReadonlySet<string> = new Set([
  ...['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End', ' ', 'g', 'G'],
])
