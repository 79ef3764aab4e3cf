import { isEqual } from '../../json/equal.ts'
import type { Architecture } from '../../programs/program.ts'
import type { TranscriptFiles } from '../../session/input/transcript-files.ts'
import type { PlacedEntry } from '../../session/input/transcript-order.ts'
import type { Session } from '../../session/session.ts'
import type { Format } from '../../wires/format.ts'
import { type FoldedEntries, joinFolded } from '../fold.ts'
import { findSession } from '../read/find-session.ts'
import { joinPortions } from '../read/join-portions.ts'
import type { RestartReason } from './follow-issue.ts'
import { type GrowingPlace, GrowingTranscript } from './growing-transcript.ts'
import { OrderedFold } from './ordered-fold.ts'

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
  readonly threads: readonly GrowingPlace[]
  /** The last entry by time, without its content. */
  readonly last?: Omit<PlacedEntry, 'entry'>
}

/** A session whose program appends lines to its files, and adds files for subagents. */
export class SessionLines {
  readonly #path: string
  readonly #format: Format<Architecture>
  #fold: OrderedFold
  #transcripts = new Map<string, GrowingTranscript>()
  readonly #places: ReadonlyMap<string, GrowingPlace>

  /** `progress` and `fold` go on from a saved place. */
  constructor(
    path: string,
    format: Format<Architecture>,
    saved?: { progress: LinesProgress; session: Session },
  ) {
    this.#path = path
    this.#format = format
    const last = saved?.progress.last && { ...saved.progress.last, entry: NO_ENTRY }
    this.#fold = new OrderedFold(format.source, saved?.session ?? format.source.open(), last)
    this.#places = new Map(saved?.progress.threads.map((place) => [place.path, place]))
  }

  get architecture(): Architecture {
    return this.#format.name
  }

  get session(): Session {
    return this.#fold.current
  }

  get progress(): LinesProgress {
    const threads = [...this.#transcripts.values()].map(({ place }) => place)
    const { last } = this.#fold
    const path = this.#path
    if (!last) return { path, threads }
    return { path, threads, last: { time: last.time, rank: last.rank, index: last.index } }
  }

  /** Returns the new content. */
  async read(): Promise<SessionChange | Unreadable> {
    const { transcripts } = await findSession(this.#path, this.#format.name)
    const gone = this.#findGone(transcripts)
    if (gone !== undefined) return { restart: 'removed', path: gone }
    for (const files of transcripts) {
      const change = await this.#transcript(files).findChange()
      if (change) return { restart: change, path: files.path }
    }
    let folded: FoldedEntries = { session: this.session, events: [], issues: [] }
    const late: PlacedEntry[] = []
    const growing = transcripts.map((files) => this.#transcript(files))
    const portions = joinPortions(growing.map((each, at) => each.read(transcripts[at]?.factsPath)))
    for await (const portion of portions) {
      const isInOrder = late.length === 0 && !growing.some(({ isReordered }) => isReordered)
      const added = isInOrder ? this.#fold.add(portion) : undefined
      if (added) folded = joinFolded(folded, added)
      else for (const entry of portion) late.push(entry)
    }
    return late.length === 0 ? { folded } : this.#readAgain(transcripts, folded, late)
  }

  /** Returns the path of a file that was read before and is gone. */
  #findGone(transcripts: readonly TranscriptFiles[]): string | undefined {
    const paths = new Set(transcripts.map(({ path }) => path))
    return [...this.#transcripts.keys(), ...this.#places.keys()].find((path) => !paths.has(path))
  }

  #transcript(files: TranscriptFiles): GrowingTranscript {
    const known = this.#transcripts.get(files.path)
    if (known) return known
    const transcript = new GrowingTranscript(files, this.#format, this.#places.get(files.path))
    this.#transcripts.set(files.path, transcript)
    return transcript
  }

  /**
   * Reads all files again as far as they were read, because the order of their lines decides the state. In most sessions it is equal
   * to the state in the order of arrival. Then nothing begins again.
   */
  async #readAgain(
    transcripts: readonly TranscriptFiles[],
    inOrder: FoldedEntries,
    late: readonly PlacedEntry[],
  ): Promise<SessionChange> {
    const arrived = joinFolded(inOrder, this.#fold.preview(late))
    const fold = new OrderedFold(this.#format.source, this.#format.source.open())
    const again = new Map<string, GrowingTranscript>()
    const readers = transcripts.map((files) => {
      const transcript = new GrowingTranscript(files, this.#format)
      again.set(files.path, transcript)
      return transcript.read(files.factsPath, this.#transcript(files).place.offset)
    })
    let whole: FoldedEntries = { session: fold.current, events: [], issues: [] }
    for await (const portion of joinPortions(readers)) {
      const added = fold.add(portion)
      if (!added) throw new Error('the first entries of a fold are never late')
      whole = joinFolded(whole, added)
    }
    this.#fold = fold
    this.#transcripts = again
    if (!isEqual(arrived.session.state, whole.session.state)) return { folded: whole, restart: 'reordered' }
    fold.adoptState(arrived.session.state)
    return { folded: { ...arrived, session: fold.current } }
  }
}

const NO_ENTRY: PlacedEntry['entry'] = { line: 0, message: undefined }
