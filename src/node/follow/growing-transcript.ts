import type { Architecture } from '../../programs/program.ts'
import type { Entry } from '../../session/input/entries.ts'
import type { TranscriptFiles } from '../../session/input/transcript-files.ts'
import type { PlacedEntry } from '../../session/input/transcript-order.ts'
import type { Format } from '../../wires/format.ts'
import { basePortions } from '../read/open-session.ts'
import { type ReaderPlace, TranscriptReader } from '../read/transcript-reader.ts'
import { type FileChange, type FilePlace, GrowingFile } from './growing-file.ts'

/** The place up to which the files of one transcript are read, as plain JSON. */
export interface GrowingPlace extends FilePlace, ReaderPlace {
  readonly path: string
}

/** A transcript to whose file a program appends. Each reading returns the entries that are new. */
export class GrowingTranscript {
  readonly #files: TranscriptFiles
  readonly #format: Format<Architecture>
  readonly #lines: GrowingFile
  readonly #reader: TranscriptReader

  constructor(files: TranscriptFiles, format: Format<Architecture>, place?: GrowingPlace) {
    this.#files = files
    this.#format = format
    this.#lines = new GrowingFile(files.path, place)
    this.#reader = new TranscriptReader({ ...files, isGrowing: true }, format.transcripts, place)
  }

  get place(): GrowingPlace {
    return { ...this.#lines.place, ...this.#reader.place, path: this.#files.path }
  }

  /** Whether the last reading changed the place of earlier entries, or the facts before them. */
  get isReordered(): boolean {
    return this.#reader.isReordered
  }

  /** Returns the change that makes the entries so far useless. */
  findChange(): Promise<FileChange | undefined> {
    return this.#lines.findChange()
  }

  /** Returns the new entries up to `limit`, an offset in the file of lines. The file with the facts may have appeared later. */
  read(factsPath: string | undefined, limit?: number): AsyncGenerator<readonly PlacedEntry[], void> {
    return this.#reader.read(this.#portions(limit), factsPath)
  }

  async *#portions(limit: number | undefined): AsyncGenerator<readonly Entry[], void> {
    if (this.#lines.place.offset === 0)
      for (const base of this.#files.bases ?? []) yield* basePortions(base, this.#format.name)
    yield* this.#lines.read(limit)
  }
}
