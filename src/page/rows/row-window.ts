import type { Hold } from './hold.ts'
import type { Row } from './row.ts'
import { RowHeights } from './row-heights.ts'

/** The height of the bar of a narrow page, which hides rows behind it. In CSS pixels. */
const BAR = 72

/** The rows out of view that are ready, above and below. */
const OVERSCAN = 8

/** How long a row that was asked for stays at its place, while rows around it get their heights. In ms. */
const SETTLING = 500

/** The rows that are in the page: `first` is the first of them, `last` the one after the last. `total` is the height of all rows. */
export interface RowRange {
  readonly first: number
  readonly last: number
  readonly total: number
}

/**
 * The part of a long list that is in the page. When rows get their heights, appear or disappear, the row at the top
 * of the view stays where it is. The browser cannot see to that, because rows out of view are not in the page.
 */
export class RowWindow {
  readonly heights: RowHeights = new RowHeights()
  readonly #observer = new ResizeObserver((entries) => this.#measure(entries))
  readonly #onChange: () => void
  readonly #hold: Hold
  #rows: readonly Row[] = []
  #list: HTMLElement | null = null
  /** The row that stays, its place in the view, and the scroll position at which that was so. */
  #anchor: { readonly key: string; readonly top: number } | undefined
  #scrollY = 0

  constructor(hold: Hold, onChange: () => void) {
    this.#hold = hold
    this.#onChange = onChange
  }

  /** Follows the scrolling of the page. Returns a function that ends it. */
  readonly start = (): (() => void) => {
    const onScroll = (): void => {
      if (this.#hasReaderScrolled()) this.#takeAnchor()
      this.#onChange()
    }
    const stopWatching = this.#hold.watchReader()
    window.addEventListener('scroll', onScroll, { passive: true })
    window.addEventListener('resize', this.#onChange)
    return () => {
      stopWatching()
      window.removeEventListener('scroll', onScroll)
      window.removeEventListener('resize', this.#onChange)
      this.#observer.disconnect()
    }
  }

  readonly setList = (list: HTMLElement | null): void => {
    this.#list = list
    // What stands above the list may grow too.
    if (list?.parentElement) this.#observer.observe(list.parentElement)
  }

  /** The ref of a row's element. */
  readonly observe = (element: Element | null): (() => void) | undefined => {
    if (!element) return
    // At once, so that no frame has the rows below at another place.
    this.heights.measure(element.getAttribute('data-row') ?? '', element.getBoundingClientRect().height)
    this.#observer.observe(element)
    return () => this.#observer.unobserve(element)
  }

  place(rows: readonly Row[]): void {
    this.#rows = rows
    this.heights.place(rows)
  }

  /** Returns the rows in view and near it. */
  range(): RowRange {
    const top = window.scrollY - this.#listTop()
    const first = Math.max(0, this.heights.indexAt(top) - OVERSCAN)
    const last = Math.min(this.#rows.length, this.heights.indexAt(top + window.innerHeight) + 1 + OVERSCAN)
    return { first, last, total: this.heights.total }
  }

  /** Returns the index of the held row, or else of the row at the top of the view. */
  readonly indexAtTop = (): number => {
    const held = this.#hold.key
    const at = held === undefined ? -1 : this.#rows.findIndex(({ key }) => key === held)
    return at === -1 ? this.heights.indexAt(window.scrollY + BAR + 1 - this.#listTop()) : at
  }

  /** Brings a row to the top of the view, and holds it there. */
  goTo(index: number): void {
    const row = this.#rows[index]
    if (!row) return
    window.scrollTo({ top: this.#listTop() + this.heights.topOf(index) - BAR })
    this.#anchor = { key: row.key, top: BAR }
    this.#scrollY = window.scrollY
    this.#hold.take(row.key)
    setTimeout(() => this.#takeAnchor(), SETTLING)
  }

  /**
   * Whether the page is elsewhere than this list has put it. A page that gets shorter moves to its new end by itself,
   * and not by the reader.
   */
  #hasReaderScrolled(): boolean {
    const isMoved = Math.abs(window.scrollY - this.#scrollY) > 1
    const isCutOff = this.#hold.key !== undefined && window.scrollY < this.#scrollY && isAtEnd()
    if (isMoved && !isCutOff) this.#hold.release()
    return isMoved && !isCutOff
  }

  /** Keeps the row at the top of the view in its place after a change, unless the page was scrolled since. */
  #settle(): void {
    const anchor = this.#anchor
    if (!anchor || this.#hasReaderScrolled()) return this.#takeAnchor()
    const top = this.#topInView(anchor.key)
    if (top === undefined || Math.abs(top - anchor.top) < 1) return
    window.scrollBy({ top: top - anchor.top, behavior: 'instant' })
    this.#scrollY = window.scrollY
  }

  /** Sees to the view after the list has changed. */
  readonly update = (): void => {
    this.heights.place(this.#rows)
    this.#settle()
    this.#onChange()
  }

  #measure(entries: readonly ResizeObserverEntry[]): void {
    const changed = entries.filter(({ target, borderBoxSize: [box] }) => {
      const key = target.getAttribute('data-row')
      return target.isConnected && key !== null && box && this.heights.measure(key, box.blockSize)
    })
    const isAround = entries.some(({ target }) => target === this.#list?.parentElement)
    if (changed.length > 0 || isAround) this.update()
  }

  /**
   * The anchor is the held row, or else the row at the top of the view. At the start of the page, what appears above
   * the rows pushes them down. At its end, a live page follows the end.
   */
  #takeAnchor(): void {
    this.#scrollY = window.scrollY
    this.#anchor = undefined
    const held = this.#hold.key
    if (held === undefined && (window.scrollY < 1 || isAtEnd())) return
    const key = held ?? this.#rows[this.heights.indexAt(window.scrollY - this.#listTop())]?.key
    const top = key === undefined ? undefined : this.#topInView(key)
    if (key !== undefined && top !== undefined) this.#anchor = { key, top }
  }

  #topInView(key: string): number | undefined {
    const element = this.#list?.querySelector(`[data-row="${CSS.escape(key)}"]`)
    if (element) return element.getBoundingClientRect().top
    const index = this.#rows.findIndex((row) => row.key === key)
    return index === -1 ? undefined : this.#listTop() + this.heights.topOf(index) - window.scrollY
  }

  #listTop(): number {
    return (this.#list?.getBoundingClientRect().top ?? 0) + window.scrollY
  }
}

/** Whether the reader is at the end of the page. */
export function isAtEnd(): boolean {
  return window.scrollY > document.documentElement.scrollHeight - window.innerHeight - 1
}
