import { dirname } from 'node:path'
import { type FSWatcher, watch } from 'chokidar'
import type { SessionEvent } from '../../core/events/event.ts'
import { createInitialConversationState, type SessionConversationState } from '../../core/state/session.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import { onAbort, Wake } from '../../server/signals.ts'
import { allFormats, DEFAULT_ARCHITECTURE, formatOf } from '../../wires/all.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { fileReader } from '../files/file-reader.ts'
import { errorWithPath } from '../read/read-session.ts'
import { SessionChooser } from './choose-session.ts'
import { FollowedSession, type SessionChange } from './followed-session.ts'
import type { FollowIssue, RestartReason } from './growing-file.ts'
import { GrowingFiles } from './growing-files.ts'
import { loadProgress, type SessionProgress, saveProgress } from './progress.ts'
import { WholeContent } from './whole-content.ts'

/** The new content of a followed session. */
export interface FollowUpdate {
  /** The state of all content so far. The session goes on, so it may be running: nothing ends it as `readSession` does. */
  readonly state: SessionConversationState
  /** The events since the last update, or from the initial state if the session starts over. */
  readonly events: readonly SessionEvent[]
  /**
   * Whether the events start at the initial state: in the first update of a session that is read from its start, and
   * in one with the issue `restarted`.
   */
  readonly startsOver: boolean
  /** The problems since the last update. */
  readonly issues: readonly FollowIssue[]
  /** Returns the place of this update as plain JSON, for the option that resumes. Undefined while the format is unknown. */
  saveProgress(): SessionProgress | undefined
}

/** An update whose content may be all that comes. */
export interface LastUpdate extends FollowUpdate {
  /** Returns the events that `readSession` ends such a session with. */
  endEvents(): Promise<readonly SessionEvent[]>
}

/** How to follow a session. */
export interface FollowOptions {
  /** Ends the iteration and closes the watcher. */
  readonly signal?: AbortSignal
  /** The value of `saveProgress`. The first update then has only the events since that place. */
  readonly resume?: unknown
  /** Waits for a file that does not exist yet. Without it, following such a path is an error. */
  readonly awaitFile?: boolean
  /** Throws a `TranscriptError` for a file of whole lines that no format knows. Without it, a later line may show the format. */
  readonly refuseUnknown?: boolean
  /** The time between two readings without an event of the file system, in ms. The default is 2,000. */
  readonly pollMs?: number
}

const POLL_MS = 2_000

/**
 * Follows a session while it grows: yields the state first, and then again whenever its files have changed. One
 * update holds all changes since the consumer asked for the last one, so a slow consumer gets the newest state and
 * misses no events. Subagents' files that appear later are part of the session. Half of a line waits for its other
 * half. The iteration ends at the abort of the `signal`; `break` ends it too. Throws a `TranscriptError` as
 * `readSession` does.
 */
export function followSession(path: string, options: FollowOptions = {}): AsyncIterable<FollowUpdate> {
  return { [Symbol.asyncIterator]: () => startFollowing(path, options) }
}

/**
 * Returns the updates of a session, each of which can be the last one. A generator that waits for a change ends only
 * after it. So `return` aborts the wait first.
 */
export function startFollowing(path: string, options: FollowOptions): AsyncIterator<LastUpdate> {
  const stop = new AbortController()
  const abort = () => stop.abort()
  const end = options.signal ? onAbort(options.signal, abort) : () => {}
  const updates = new Follower(path, options, stop.signal).run()
  return {
    async next() {
      const next = await updates.next().catch((error) => {
        end()
        throw error
      })
      if (next.done) end()
      return next
    },
    async return() {
      end()
      abort()
      return updates.return(undefined)
    },
  }
}

class Follower {
  readonly #path: string
  readonly #options: FollowOptions
  readonly #signal: AbortSignal
  readonly #changes: FileChanges
  readonly #chooser: SessionChooser
  #session: FollowedSession | undefined
  #state = createInitialConversationState()
  /** The session begins again at the next reading. */
  #restart: { readonly reason: RestartReason; readonly path: string } | undefined
  #hasRead = false
  /** The next update is the first one, and has all events. */
  #startsOver: boolean

  constructor(path: string, options: FollowOptions, signal: AbortSignal) {
    this.#path = path
    this.#options = options
    this.#signal = signal
    this.#startsOver = options.resume === undefined
    this.#changes = new FileChanges(options.pollMs ?? POLL_MS, signal)
    this.#chooser = new SessionChooser(path, { ...options, signal })
  }

  async *run(): AsyncGenerator<LastUpdate, undefined> {
    try {
      await this.#resume()
      for (let isFirst = true; !this.#signal.aborted; isFirst = false) {
        this.#changes.clear()
        const update = await this.#read(isFirst)
        if (this.#signal.aborted) return
        // To watch a large folder takes long, and a folder without a session needs no watcher.
        this.#changes.watch(watchedPaths(this.#path))
        if (update) yield update
        else await this.#changes.next()
      }
    } finally {
      await this.#changes.close()
    }
  }

  async #resume(): Promise<void> {
    const saved = this.#options.resume
    if (saved === undefined) return
    const loaded = await loadProgress(saved)
    if (!loaded) {
      this.#restart = { reason: 'unusable-progress', path: this.#path }
      return
    }
    const { architecture, session, lines } = loaded
    this.#state = session.state
    const content = lines
      ? new GrowingFiles(lines.path, formatOf(architecture), lines.threads)
      : new WholeContent(this.#path, architecture)
    this.#session = await FollowedSession.open(architecture, content, loaded)
  }

  /** Returns the update with the new content; undefined if there is none. The first reading always has an update. */
  async #read(isFirst: boolean): Promise<LastUpdate | undefined> {
    const change = await this.#readSession()
    const failure = this.#changes.takeFailure()
    const watchIssues: readonly FollowIssue[] =
      failure === undefined ? [] : [{ code: 'watch-failed', reason: failure }]
    if (!change) return isFirst || watchIssues.length > 0 ? this.#update([], watchIssues) : undefined
    const { folded, restart } = change
    const { events, issues } = folded
    const all: readonly FollowIssue[] = [...watchIssues, ...this.#restartIssues(restart), ...issues]
    const isNew = folded.session.state !== this.#state || events.length > 0 || all.length > 0
    this.#state = folded.session.state
    return isNew || isFirst ? this.#update(events, all) : undefined
  }

  #restartIssues(reason: RestartReason | undefined): readonly FollowIssue[] {
    const restart = this.#restart ?? (reason && { reason, path: this.#path })
    this.#restart = undefined
    return restart ? [{ code: 'restarted', ...restart }] : []
  }

  #update(events: readonly SessionEvent[], issues: readonly FollowIssue[]): LastUpdate {
    const place = this.#session?.place
    const startsOver = this.#startsOver || issues.some(({ code }) => code === 'restarted')
    this.#startsOver = false
    return {
      state: this.#state,
      events,
      startsOver,
      issues,
      saveProgress: () => place && saveProgress(place),
      endEvents: async () => (place ? (await sourceOf(place.architecture)).end(place.session).events : []),
    }
  }

  /** Reads until the session is complete, because a restart needs a second reading. */
  async #readSession(): Promise<SessionChange | undefined> {
    try {
      this.#session ??= await this.#chooser.choose(watchedPaths(this.#path))
      const read = await this.#session?.read(this.#signal)
      this.#hasRead = true
      this.#changes.watch(this.#session?.content.sources ?? [])
      if (!this.#session) return this.#restart && (await initialChange())
      if (!read || 'folded' in read) return read
      this.#restart ??= { reason: read.restart, path: read.path }
      this.#session = undefined
      return await this.#readSession()
    } catch (error) {
      if (this.#signal.aborted) return undefined
      const isMissing = error instanceof TranscriptError && error.code === 'no-such-file'
      if (isMissing && (this.#hasRead || this.#options.awaitFile)) return this.#loseSession()
      throw await errorWithPath(error, this.#path)
    }
  }

  /** A program that replaces a file may remove it first, so following waits for the new one. */
  #loseSession(): undefined {
    if (this.#session) this.#restart ??= { reason: 'removed', path: this.#path }
    this.#session = undefined
  }
}

/** Returns the change of a session that begins again without content. */
async function initialChange(): Promise<SessionChange> {
  const { open } = await sourceOf(DEFAULT_ARCHITECTURE)
  return { folded: { session: open(), events: [], issues: [] } }
}

/** Returns the session's file or folder, and the folders of its subagents in any format. They may be beside the session's file. */
function watchedPaths(path: string): readonly string[] {
  const folders = allFormats().flatMap(({ files }) => {
    const places = files.isSession(path) ? files.agentFiles(path, fileReader) : undefined
    return places ? [places.folder ?? dirname(path)] : []
  })
  return [path, ...folders]
}

/** Waits for changes of files. */
export class FileChanges {
  readonly #pollMs: number
  readonly #signal: AbortSignal
  readonly #startWatching: typeof watch
  readonly #watched = new Set<string>()
  #watcher: FSWatcher | undefined
  #hasChange = false
  readonly #changed = new Wake()
  #failure: string | undefined

  /** Without any event, `next` ends after `pollMs` milliseconds: network drives and some containers report no events. */
  constructor(pollMs: number, signal: AbortSignal, startWatching: typeof watch = watch) {
    this.#pollMs = pollMs
    this.#signal = signal
    this.#startWatching = startWatching
  }

  /** Watches files and folders. They need not exist. */
  watch(paths: readonly string[]): void {
    const added = paths.filter((path) => !this.#watched.has(path))
    if (added.length === 0) return
    for (const path of added) this.#watched.add(path)
    if (this.#watcher) this.#watcher.add(added)
    else this.#watcher = this.#start(added)
  }

  #start(paths: string[]): FSWatcher {
    const watcher = this.#startWatching(paths, { ignoreInitial: true, ignorePermissionErrors: true })
    watcher.on('all', () => this.#report())
    // Changes between the first reading and this moment have no event.
    watcher.on('ready', () => this.#report())
    watcher.on('error', (error) => {
      this.#failure = error instanceof Error ? error.message : String(error)
      this.#report()
    })
    return watcher
  }

  /** Returns the reason why the system cannot watch the files, once. */
  takeFailure(): string | undefined {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  /** Forgets the changes so far. Call it before the files are read. */
  clear(): void {
    this.#hasChange = false
  }

  /** Resolves at the next change, after the time of a poll, or at the abort. */
  async next(): Promise<void> {
    if (this.#hasChange || this.#signal.aborted) return
    await this.#changed.next({ ms: this.#pollMs, signal: this.#signal })
  }

  async close(): Promise<void> {
    const isClosed = this.#watcher?.close()
    // Closing removes all listeners, and an error without one would end the process. The system may still report one.
    this.#watcher?.on('error', () => {})
    await isClosed
  }

  #report(): void {
    this.#hasChange = true
    this.#changed.wake()
  }
}
