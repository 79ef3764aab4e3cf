import { stat } from 'node:fs/promises'
import { isEqual } from '../../json/equal.ts'
import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../session/input/entries.ts'
import type { Session } from '../../session/session.ts'
import { formatOf } from '../../wires/all.ts'
import { fileStamp } from '../files/file-reader.ts'
import { isMissing, readError } from '../files/read-error.ts'
import { type FoldedEntries, foldEntries } from '../fold.ts'
import { openSession } from '../read/open-session.ts'
import type { SessionChange, Unreadable } from './session-lines.ts'

/**
 * A session that its program writes as whole values: exports, stored messages, a database. Each change needs a reading of the whole
 * session, but the events are only those of the change.
 */
export class SessionDocument {
  readonly #path: string
  readonly #architecture: Architecture
  #fold: Session | undefined
  /** The content that is read and not folded yet. */
  #loaded: LoadedSession | undefined
  #sources: readonly string[]
  #stamp = ''

  constructor(path: string, architecture: Architecture, session?: Session) {
    this.#path = path
    this.#architecture = architecture
    this.#fold = session
    this.#sources = [path]
  }

  /** Returns undefined if no format recognizes the content. */
  static async open(path: string): Promise<SessionDocument | undefined> {
    const stamp = await stampOf([path])
    const loaded = await loadSession(path)
    if (!loaded) return undefined
    const document = new SessionDocument(path, loaded.architecture)
    document.#take(loaded, stamp)
    document.#loaded = loaded
    return document
  }

  get session(): Session {
    return this.#fold ?? this.#source.open()
  }

  /** The files and folders that the session was read from. */
  get sources(): readonly string[] {
    return this.#sources
  }

  get architecture(): Architecture {
    return this.#architecture
  }

  get #source() {
    return formatOf(this.#architecture).source
  }

  /** Returns the new content; undefined if there is none, or if the program is still writing it. */
  async read(): Promise<SessionChange | Unreadable | undefined> {
    const loaded = this.#loaded ?? (await this.#loadChanged())
    this.#loaded = undefined
    if (!loaded) return undefined
    if (loaded.architecture !== this.#architecture) return { restart: 'replaced', path: this.#path }
    return this.#change(loaded)
  }

  /** Reads the session if one of its files has changed. */
  async #loadChanged(): Promise<LoadedSession | undefined> {
    const stamp = await stampOf(this.#sources)
    if (stamp === this.#stamp) return undefined
    const loaded = await loadSession(this.#path)
    if (loaded) this.#take(loaded, stamp)
    return loaded
  }

  /** The stamp is older than the content, so that a change in between is not lost. The stamp of other files says nothing. */
  #take({ sources }: LoadedSession, stamp: string): void {
    this.#stamp = isEqual(sources, this.#sources) ? stamp : ''
    this.#sources = sources
  }

  #change({ entries }: LoadedSession): SessionChange {
    const whole = foldEntries(this.#source, this.#source.open(), entries)
    const before = this.#fold
    this.#fold = whole.session
    if (!before) return { folded: whole }
    const continued = foldEntries(this.#source, before, entries)
    if (!isEqual(continued.session.state, whole.session.state)) return { folded: whole, restart: 'rewritten' }
    // The memory of the whole reading does not grow with the number of changes.
    this.#fold = { notes: whole.session.notes, state: continued.session.state }
    return { folded: { ...continued, session: this.#fold } satisfies FoldedEntries }
  }
}

/** All entries of a session, and the files and folders that decide them. */
interface LoadedSession {
  readonly architecture: Architecture
  readonly entries: readonly Entry[]
  readonly sources: readonly string[]
}

/** Returns undefined if no format recognizes the content. */
async function loadSession(path: string): Promise<LoadedSession | undefined> {
  const { architecture, portions, sources } = await openSession(path)
  if (!architecture) return undefined
  const entries: Entry[] = []
  for await (const portion of portions) for (const entry of portion) entries.push(entry)
  return { architecture, entries, sources }
}

async function stampOf(paths: readonly string[]): Promise<string> {
  const stamps: string[] = []
  for (const path of paths) stamps.push(await stampOrNone(path))
  return stamps.join('\n')
}

async function stampOrNone(path: string): Promise<string> {
  try {
    const stats = await stat(path)
    return stats.isDirectory() ? String(stats.mtimeMs) : await fileStamp(path)
  } catch (error) {
    if (isMissing(error)) return 'none'
    throw readError(error, path)
  }
}
