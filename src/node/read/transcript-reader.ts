import { readFile } from 'node:fs/promises'
import { isEqual } from '../../json/equal.ts'
import type { Entry } from '../../session/input/entries.ts'
import { fileValue } from '../../session/input/jsonl.ts'
import {
  type PlacedEntry,
  TranscriptOrder,
  type TranscriptPlace,
} from '../../session/input/transcript-order.ts'
import { entryOfAgent, factsOfAgent, type TranscriptRules } from '../../session/input/transcripts.ts'
import { decodeText } from '../files/decode-text.ts'
import { fileStamp } from '../files/file-reader.ts'
import { isMissing, readError } from '../files/read-error.ts'

/** The transcript that is read. */
interface TranscriptName {
  /** The agent's own id. Absent for main. */
  readonly id?: string
  readonly path: string
  /** Whether its program may still write it. Then a broken file with facts is half written. */
  readonly isGrowing?: boolean
}

/** The place up to which a transcript is read, as plain JSON. */
export interface ReaderPlace extends TranscriptPlace {
  /** The facts about the agent, as they were read. */
  readonly facts?: Entry
}

/** Places the entries of one transcript among those of the others, after the facts about its agent. */
export class TranscriptReader {
  readonly #name: TranscriptName
  readonly #rules: TranscriptRules
  readonly #order: TranscriptOrder
  #facts: Entry | undefined
  #factsStamp = ''
  #isReordered = false

  constructor(name: TranscriptName, rules: TranscriptRules, place?: ReaderPlace) {
    this.#name = name
    this.#rules = rules
    this.#order = new TranscriptOrder(name.id === undefined ? '' : name.path, place)
    this.#facts = place?.facts
  }

  get place(): ReaderPlace {
    return this.#facts === undefined ? this.#order.place : { ...this.#order.place, facts: this.#facts }
  }

  /** Whether the last reading changed the place of earlier entries, or the facts before them. */
  get isReordered(): boolean {
    return this.#isReordered
  }

  /** Returns the next entries with their places. The file with the facts may appear or change later. */
  async *read(
    portions: AsyncIterable<readonly Entry[]>,
    factsPath: string | undefined,
  ): AsyncGenerator<readonly PlacedEntry[], void> {
    const { firstTime, entryCount } = this.#order.place
    const wasUntimed = entryCount > 0 && firstTime === ''
    this.#isReordered = false
    for await (const portion of portions) {
      const placed = this.#place(portion)
      this.#isReordered ||= wasUntimed && this.#order.place.firstTime !== ''
      const facts = await this.#newFacts(factsPath)
      yield facts ? [this.#order.placeFacts(facts), ...placed] : placed
    }
  }

  #place(portion: readonly Entry[]): readonly PlacedEntry[] {
    const { id } = this.#name
    const own = id === undefined ? portion : portion.map((entry) => entryOfAgent(id, entry, this.#rules))
    return this.#order.placeAll(own)
  }

  /** Returns facts that are new or changed. An agent without messages has none. */
  async #newFacts(path: string | undefined): Promise<Entry | undefined> {
    const { id } = this.#name
    if (id === undefined || path === undefined || this.#order.place.entryCount === 0) return undefined
    try {
      const stamp = await fileStamp(path)
      if (stamp === this.#factsStamp) return undefined
      this.#factsStamp = stamp
      const facts = factsOfAgent(id, fileValue(decodeText(await readFile(path))), this.#rules)
      const isHalf = 'issue' in facts && this.#name.isGrowing
      if (isHalf || isEqual(facts, this.#facts)) return undefined
      if (this.#facts) this.#isReordered = true
      this.#facts = facts
      return facts
    } catch (error) {
      if (isMissing(error)) return undefined
      throw readError(error, path)
    }
  }
}
