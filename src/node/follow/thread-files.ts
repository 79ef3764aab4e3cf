import { readFile } from 'node:fs/promises'
import { isEqual } from '../../json/equal.ts'
import { type Entry, factsEntry } from '../../session/input/entries.ts'
import { fileValue } from '../../session/input/jsonl.ts'
import type { Format } from '../../wires/format.ts'
import { isMissing, readError } from '../files/read-error.ts'
import { type FileChange, type FilePlace, fileStamp, GrowingFile } from './growing-file.ts'
import type { OrderedEntry } from './ordered-fold.ts'

/** The place up to which the files of one conversation are read, as plain JSON. */
export interface ThreadPlace extends FilePlace {
  readonly path: string
  /** The time of the first line with a time. Lines before it have the same time. */
  readonly firstTime: string
  /** The time of the last line. */
  readonly time: string
  /** The number of messages. */
  readonly entryCount: number
  /** The facts about the agent, as they were read. */
  readonly facts?: Entry
}

/** The paths of the files of one conversation. */
export interface ThreadPaths {
  readonly path: string
  /** The agent whose conversation it is. Absent for main. */
  readonly agentId?: string
  /** The file with facts about the agent. */
  readonly factsPath?: string
}

/** The new entries of a conversation. */
interface ThreadEntries {
  readonly entries: readonly OrderedEntry[]
  /** The order of earlier entries changed, or the facts that were the first entry. */
  readonly isReordered: boolean
}

/** The files of one conversation of a session: its lines, and the facts about its agent. */
export class ThreadFiles {
  readonly #paths: ThreadPaths
  readonly #files: Format['files']
  readonly #lines: GrowingFile
  #firstTime: string
  #time: string
  #entryCount: number
  #facts: Entry | undefined
  #factsStamp = ''

  constructor(paths: ThreadPaths, files: Format['files'], place?: ThreadPlace) {
    this.#paths = paths
    this.#files = files
    this.#lines = new GrowingFile(paths.path, place)
    this.#firstTime = place?.firstTime ?? ''
    this.#time = place?.time ?? ''
    this.#entryCount = place?.entryCount ?? 0
    this.#facts = place?.facts
  }

  get place(): ThreadPlace {
    const { path } = this.#paths
    const [firstTime, time, entryCount] = [this.#firstTime, this.#time, this.#entryCount]
    const place = { ...this.#lines.place, path, firstTime, time, entryCount }
    return this.#facts === undefined ? place : { ...place, facts: this.#facts }
  }

  /** Returns the new entries up to `limit`, an offset in the file of lines. The file with the facts may have appeared later. */
  async read(factsPath: string | undefined, limit?: number): Promise<ThreadEntries | FileChange> {
    const read = await this.#lines.read(limit)
    if (typeof read === 'string') return read
    const wasUntimed = this.#entryCount > 0 && this.#firstTime === ''
    const lines = read.map((entry) => this.#order(entry))
    const gotTime = wasUntimed && this.#firstTime !== ''
    const facts = await this.#readFacts(factsPath)
    if (facts === undefined) return { entries: lines, isReordered: gotTime }
    const isChanged = this.#facts !== undefined
    this.#facts = facts
    const first = { entry: facts, time: this.#firstTime, rank: this.#rank, index: -1 }
    return { entries: [first, ...lines], isReordered: gotTime || isChanged }
  }

  #order(read: Entry): OrderedEntry {
    const entry = this.#paths.agentId === undefined ? read : this.#files.part(this.#paths.path).complete(read)
    const own = this.#files.timeOf(entry)
    if (own > this.#time) this.#time = own
    if (this.#firstTime === '') this.#firstTime = own
    const index = this.#entryCount
    if ('message' in entry) this.#entryCount += 1
    return { entry, time: this.#time, rank: this.#rank, index }
  }

  get #rank(): string {
    return this.#paths.agentId === undefined ? '' : this.#paths.path
  }

  /** Returns facts that are new or changed. An agent without messages has none, and a file that is half written has none yet. */
  async #readFacts(factsPath: string | undefined): Promise<Entry | undefined> {
    if (factsPath === undefined || this.#entryCount === 0) return undefined
    try {
      const stamp = await fileStamp(factsPath)
      if (stamp === this.#factsStamp) return undefined
      const value = fileValue(await readFile(factsPath, 'utf8'))
      this.#factsStamp = stamp
      if (value === undefined) return undefined
      const facts = this.#files.part(factsPath).complete(factsEntry(value))
      return isEqual(facts, this.#facts) ? undefined : facts
    } catch (error) {
      if (isMissing(error)) return undefined
      throw readError(error, factsPath)
    }
  }
}
