import { type FSWatcher, watch } from 'chokidar'

/** Waits for changes of files. */
export class FileChanges {
  readonly #pollMs: number
  readonly #signal: AbortSignal
  readonly #startWatching: typeof watch
  readonly #watched = new Set<string>()
  #watcher: FSWatcher | undefined
  #hasChange = false
  #wake: (() => void) | undefined
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
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#signal.removeEventListener('abort', end)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(end, this.#pollMs)
      this.#signal.addEventListener('abort', end)
      this.#wake = end
    })
  }

  async close(): Promise<void> {
    const isClosed = this.#watcher?.close()
    // Closing removes all listeners, and an error without one would end the process. The system may still report one.
    this.#watcher?.on('error', () => {})
    await isClosed
  }

  #report(): void {
    this.#hasChange = true
    this.#wake?.()
  }
}
