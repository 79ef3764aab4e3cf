import { isEqual } from '../../json/equal.ts'
import { omitUndefined } from '../../json/omit-undefined.ts'
import type { Architecture } from '../../programs/program.ts'
import type { Format } from '../../wires/format.ts'
import { type Fold, type FoldedEntries, initialFold } from '../fold.ts'
import { findSession } from '../read/find-session.ts'
import type { RestartReason } from './follow-issue.ts'
import { compareEntries, type OrderedEntry, OrderedFold } from './ordered-fold.ts'
import { ThreadFiles, type ThreadPaths, type ThreadPlace } from './thread-files.ts'

/** The new content of a session. */
export interface SessionChange {
  readonly folded: FoldedEntries
  /** The events start at the initial state for that reason. */
  readonly restart?: RestartReason
}

/** A session has to be read again from its beginning. */
export interface Unreadable {
  readonly restart: RestartReason
  readonly path: string
}

/** The place in the files of a session, as plain JSON. Treat it as opaque. */
export interface LinesProgress {
  /** The session's own file. */
  readonly path: string
  readonly threads: readonly ThreadPlace[]
  /** The last entry by time, without its content. */
  readonly last?: Omit<OrderedEntry, 'entry'>
}

/** A session whose program appends lines to its files, and adds files for subagents. */
export class SessionLines {
  readonly #path: string
  readonly #format: Format<Architecture>
  #fold: OrderedFold
  #threads = new Map<string, ThreadFiles>()
  readonly #places: ReadonlyMap<string, ThreadPlace>

  /** `progress` and `fold` go on from a saved place. */
  constructor(path: string, format: Format<Architecture>, saved?: { progress: LinesProgress; fold: Fold }) {
    this.#path = path
    this.#format = format
    const last = saved?.progress.last && { ...saved.progress.last, entry: NO_ENTRY }
    this.#fold = new OrderedFold(format.source, saved?.fold ?? initialFold(format.source), last)
    this.#places = new Map(saved?.progress.threads.map((place) => [place.path, place]))
  }

  get architecture(): Architecture {
    return this.#format.name
  }

  get fold(): Fold {
    return this.#fold.current
  }

  get progress(): LinesProgress {
    const threads = [...this.#threads.values()].map(({ place }) => place)
    const { last } = this.#fold
    const path = this.#path
    if (!last) return { path, threads }
    return { path, threads, last: { time: last.time, rank: last.rank, index: last.index } }
  }

  /** Returns the new content. */
  async read(): Promise<SessionChange | Unreadable> {
    const threads = await threadPaths(this.#path, this.#format)
    if (!threads) return { restart: 'rewritten', path: this.#path }
    const gone = this.#findGone(threads)
    if (gone !== undefined) return { restart: 'removed', path: gone }
    const entries: OrderedEntry[] = []
    let isReordered = false
    for (const paths of threads) {
      const read = await this.#thread(paths).read(paths.factsPath)
      if (typeof read === 'string') return { restart: read, path: paths.path }
      isReordered ||= read.isReordered
      for (const entry of read.entries) entries.push(entry)
    }
    const added = isReordered ? undefined : this.#fold.add(entries)
    return added ? { folded: added } : this.#readAgain(threads, entries)
  }

  /** Returns the path of a file that was read before and is gone. */
  #findGone(threads: readonly ThreadPaths[]): string | undefined {
    const paths = new Set(threads.map(({ path }) => path))
    return [...this.#threads.keys(), ...this.#places.keys()].find((path) => !paths.has(path))
  }

  #thread(paths: ThreadPaths): ThreadFiles {
    const known = this.#threads.get(paths.path)
    if (known) return known
    const thread = new ThreadFiles(paths, this.#format.files, this.#places.get(paths.path))
    this.#threads.set(paths.path, thread)
    return thread
  }

  /**
   * Reads all files again as far as they were read, because the order of their lines decides the state. In most sessions it is equal
   * to the state in the order of arrival. Then nothing begins again.
   */
  async #readAgain(
    threads: readonly ThreadPaths[],
    entries: readonly OrderedEntry[],
  ): Promise<SessionChange | Unreadable> {
    const arrived = this.#fold.preview([...entries].sort(compareEntries))
    const fold = new OrderedFold(this.#format.source, initialFold(this.#format.source))
    const again = new Map<string, ThreadFiles>()
    const all: OrderedEntry[] = []
    for (const paths of threads) {
      const thread = new ThreadFiles(paths, this.#format.files)
      const read = await thread.read(paths.factsPath, this.#thread(paths).place.offset)
      if (typeof read === 'string') return { restart: read, path: paths.path }
      for (const entry of read.entries) all.push(entry)
      again.set(paths.path, thread)
    }
    const whole = fold.add(all)
    if (!whole) throw new Error('the first entries of a fold are never late')
    this.#fold = fold
    this.#threads = again
    if (!isEqual(arrived.fold.state, whole.fold.state)) return { folded: whole, restart: 'reordered' }
    fold.adoptState(arrived.fold.state)
    return { folded: { ...arrived, fold: fold.current } }
  }
}

const NO_ENTRY: OrderedEntry['entry'] = { line: 0, message: undefined }

/**
 * Returns the files of a session by conversation. Undefined if they are no files of lines for one session: several session files, or
 * two files of one agent.
 */
export async function threadPaths(
  path: string,
  format: Format<Architecture>,
): Promise<readonly ThreadPaths[] | undefined> {
  const { paths } = await findSession(path, format.name)
  // A subagent's file that is followed alone is main.
  if (paths.length === 1) return paths.map((each) => ({ path: each }))
  const parts = paths.map((each) => ({ path: each, ...format.files.part(each, paths[0]) }))
  const factsPaths = new Map(parts.filter(({ isFacts }) => isFacts).map((part) => [part.agentId, part.path]))
  const threads = parts.filter(({ isFacts }) => !isFacts)
  const hasOneEach = new Set(threads.map(({ agentId }) => agentId)).size === threads.length
  if (!hasOneEach || !threads.some(({ agentId }) => agentId === undefined)) return undefined
  return threads.map(({ path: each, agentId }) =>
    omitUndefined({ path: each, agentId, factsPath: factsPaths.get(agentId) }),
  )
}
