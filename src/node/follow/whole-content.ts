import { isEqual } from '../../core/json/equal.ts'
import type { Architecture } from '../../programs/program.ts'
import type { EntryPlace, PlacedEntry } from '../../reading/input/transcript-order.ts'
import { isMissing, readError } from '../files/read-error.ts'
import { fileStamp } from '../files/read-piece.ts'
import { type OpenedSession, openSession } from '../read/open-session.ts'
import type { FollowedContent, NewEntries, Unreadable } from './followed-session.ts'

/**
 * A session that its program writes as whole values: exports, stored messages, a database. Each change needs a
 * reading of the whole session, but the events are only those of the change.
 */
export class WholeContent implements FollowedContent {
  readonly #path: string
  readonly #architecture: Architecture
  /** The opened session that is not read yet. */
  #opened: OpenedSession | undefined
  #sources: readonly string[]
  #stamp = ''
  #isRead: boolean

  /** Without `opened`, the session goes on from a saved place. `stamp` is that of the path before it was opened. */
  constructor(path: string, architecture: Architecture, opened?: OpenedSession, stamp = '') {
    this.#path = path
    this.#architecture = architecture
    this.#opened = opened
    this.#isRead = opened === undefined
    this.#sources = [path]
    if (opened) this.#take(opened, stamp)
  }

  /** The files and folders that the session was read from. */
  get sources(): readonly string[] {
    return this.#sources
  }

  async read(signal?: AbortSignal): Promise<NewEntries | Unreadable | undefined> {
    const opened = this.#opened ?? (await this.#openChanged(signal))
    this.#opened = undefined
    if (!opened?.architecture) return undefined
    if (opened.architecture !== this.#architecture) return { restart: 'replaced', path: this.#path }
    const portions: (readonly PlacedEntry[])[] = []
    for await (const portion of opened.portions)
      portions.push(portion.map((entry) => ({ entry, place: PLACE })))
    const isReordered = this.#isRead
    this.#isRead = true
    return { portions, isReordered: () => isReordered, again: () => portions, reason: 'rewritten' }
  }

  /** Opens the session if one of its files has changed. */
  async #openChanged(signal?: AbortSignal): Promise<OpenedSession | undefined> {
    const stamp = await stampOf(this.#sources)
    if (stamp === this.#stamp) return undefined
    const opened = await openSession(this.#path, { signal })
    if (opened.architecture) this.#take(opened, stamp)
    return opened
  }

  /** The stamp is older than the content, so that a change in between is not lost. The stamp of other files says nothing. */
  #take({ sources }: OpenedSession, stamp: string): void {
    this.#stamp = isEqual(sources, this.#sources) ? stamp : ''
    this.#sources = sources
  }
}

/** Whole content has one order. */
const PLACE: EntryPlace = { time: '', rank: '', index: 0 }

/** Returns a text that changes whenever one of the files or folders changes. */
export async function stampOf(paths: readonly string[]): Promise<string> {
  const stamps: string[] = []
  for (const path of paths) stamps.push(await stampOrNone(path))
  return stamps.join('\n')
}

async function stampOrNone(path: string): Promise<string> {
  try {
    return await fileStamp(path)
  } catch (error) {
    if (isMissing(error)) return 'none'
    throw readError(error, path)
  }
}
