import { readFile } from 'node:fs/promises'
import { isEqual } from '../../core/json/equal.ts'
import type { JsonObject } from '../../core/json/values.ts'
import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../reading/input/entries.ts'
import { fileValue } from '../../reading/input/jsonl.ts'
import { type TranscriptFiles, withFacts } from '../../reading/input/transcript-files.ts'
import {
  type PlacedEntry,
  TranscriptOrder,
  type TranscriptPlace,
} from '../../reading/input/transcript-order.ts'
import { entryOfAgent, factsOfAgent } from '../../reading/input/transcripts.ts'
import type { Format } from '../../wires/format.ts'
import { decodeText } from '../files/decode-text.ts'
import { isMissing, readError } from '../files/read-error.ts'
import { fileStamp, readChunks } from '../files/read-piece.ts'
import { textEntries } from './text-entries.ts'

/** The place up to which a transcript is read, as plain JSON. */
export interface TranscriptPosition extends TranscriptPlace {
  /** The facts about the agent, as they were read. */
  readonly facts?: Entry
}

/** The file with the facts is missing, or has not changed. */
const NO_NEWS = Symbol('no news')

/** Places the entries of one transcript among those of the others, after the facts about its agent. */
export class TranscriptPlacer {
  readonly #files: TranscriptFiles
  readonly #format: Format<Architecture>
  readonly #isGrowing: boolean
  readonly #order: TranscriptOrder
  #facts: Entry | undefined
  #factsStamp = ''
  #isReordered = false

  /** A program may still write a transcript that is `growing`. */
  constructor(
    files: TranscriptFiles,
    format: Format<Architecture>,
    growing?: { readonly place: TranscriptPosition | undefined },
  ) {
    this.#files = files
    this.#format = format
    this.#isGrowing = growing !== undefined
    this.#order = new TranscriptOrder(
      format.transcripts,
      files.id === undefined ? '' : files.path,
      growing?.place,
    )
    this.#facts = growing?.place?.facts
  }

  get place(): TranscriptPosition {
    return this.#facts === undefined ? this.#order.place : { ...this.#order.place, facts: this.#facts }
  }

  /** Whether the last reading changed the place of earlier entries, or the facts before them. */
  get isReordered(): boolean {
    return this.#isReordered
  }

  /** Returns the next entries of the transcript's own file with their places. The file with the facts may appear or change later. */
  async *read(
    own: AsyncIterable<readonly Entry[]>,
    { factsPath, facts: known }: Pick<TranscriptFiles, 'factsPath' | 'facts'> = this.#files,
  ): AsyncGenerator<readonly PlacedEntry[], void> {
    const { firstTime, entryCount } = this.#order.place
    this.#isReordered = false
    if (entryCount === 0) for await (const portion of this.#bases()) yield this.#placeAll(portion)
    for await (const portion of own) {
      const placed = this.#placeAll(portion)
      this.#isReordered ||= entryCount > 0 && firstTime !== this.#order.place.firstTime
      const facts = await this.#newFacts(factsPath, known)
      yield facts ? [this.#order.placeFacts(facts), ...placed] : placed
    }
  }

  async *#bases(): AsyncGenerator<readonly Entry[], void> {
    for (const { path, includes } of this.#files.bases ?? []) {
      const { portions } = await textEntries(readChunks(path), this.#format.name)
      for await (const portion of portions)
        yield portion.filter((entry) => 'message' in entry && includes(entry.message))
    }
  }

  #placeAll(portion: readonly Entry[]): readonly PlacedEntry[] {
    const { id } = this.#files
    const rules = this.#format.transcripts
    const named = id === undefined ? portion : portion.map((entry) => entryOfAgent(id, entry, rules))
    return this.#order.placeAll(named)
  }

  /** Returns facts that are new or changed. An agent without messages has none, and a file that is half written has none yet. */
  async #newFacts(path: string | undefined, known: JsonObject | undefined): Promise<Entry | undefined> {
    const { id } = this.#files
    if (id === undefined || this.#order.place.entryCount === 0) return undefined
    const alone = known ? {} : NO_NEWS
    const own = path === undefined ? alone : await this.#newValue(path)
    if (own === NO_NEWS) return undefined
    const facts = factsOfAgent(id, withFacts(own, known), this.#format.transcripts)
    const isHalf = 'issue' in facts && this.#isGrowing
    if (isHalf || isEqual(facts, this.#facts)) return undefined
    if (this.#facts) this.#isReordered = true
    this.#facts = facts
    return facts
  }

  /** Returns the value of the file with the facts, if the file is new or has changed. */
  async #newValue(path: string): Promise<unknown> {
    try {
      const stamp = await fileStamp(path)
      if (stamp === this.#factsStamp) return NO_NEWS
      this.#factsStamp = stamp
      return fileValue(decodeText(await readFile(path)))
    } catch (error) {
      if (isMissing(error)) return NO_NEWS
      throw readError(error, path)
    }
  }
}
