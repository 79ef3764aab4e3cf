import type { Architecture } from '../../programs/program.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { Format } from '../../wires/format.ts'
import { findSession } from '../read/find-session.ts'
import { joinPortions } from '../read/text-entries.ts'
import { TranscriptPlacer } from '../read/transcript-placer.ts'
import type { FollowedContent, NewEntries, Unreadable } from './followed-session.ts'
import { GrowingFile } from './growing-file.ts'
import type { GrowingPlace, LinesProgress } from './progress.ts'

/** A transcript to whose file a program appends. */
interface GrowingTranscript {
  readonly files: TranscriptFiles
  readonly lines: GrowingFile
  readonly reader: TranscriptPlacer
}

/** The files of a session to which a program appends lines. It adds files for subagents. */
export class GrowingFiles implements FollowedContent {
  readonly sources: readonly string[] = []
  readonly #path: string
  readonly #format: Format<Architecture>
  readonly #places: ReadonlyMap<string, GrowingPlace>
  #transcripts: readonly GrowingTranscript[] = []

  /** `path` is that of the session's own file. */
  constructor(path: string, format: Format<Architecture>, places: readonly GrowingPlace[] = []) {
    this.#path = path
    this.#format = format
    this.#places = new Map(places.map((place) => [place.path, place]))
  }

  get place(): LinesProgress {
    const threads = this.#transcripts.map(({ files, lines, reader }) => ({
      ...lines.place,
      ...reader.place,
      path: files.path,
    }))
    return { path: this.#path, threads }
  }

  async read(signal?: AbortSignal): Promise<NewEntries | Unreadable> {
    const { transcripts } = await findSession(this.#path, { architecture: this.#format.name, signal })
    const paths = new Set(transcripts.map(({ path }) => path))
    const known = new Map(this.#transcripts.map((each) => [each.files.path, each]))
    const gone = [...known.keys(), ...this.#places.keys()].find((path) => !paths.has(path))
    if (gone !== undefined) return { restart: 'removed', path: gone }
    this.#transcripts = transcripts.map((files) => ({
      ...(known.get(files.path) ?? this.#open(files, this.#places.get(files.path))),
      files,
    }))
    for (const { files, lines } of this.#transcripts) {
      const restart = await lines.findChange()
      if (restart) return { restart, path: files.path }
    }
    return {
      portions: this.#readAll(),
      isReordered: () => this.#transcripts.some(({ reader }) => reader.isReordered),
      again: () => this.#readAgain(),
      reason: 'reordered',
    }
  }

  #open(files: TranscriptFiles, place?: GrowingPlace): GrowingTranscript {
    const reader = new TranscriptPlacer(files, this.#format, { place })
    return { files, lines: new GrowingFile(files.path, place), reader }
  }

  /** Reads each file to its end, or up to its limit. */
  #readAll(limits: readonly number[] = []): NewEntries['portions'] {
    const portions = this.#transcripts.map(({ files, lines, reader }, at) =>
      reader.read(lines.read(limits[at]), files),
    )
    // A program writes a call before the lines of its agent. So the session's own file is read last: no agent's line is
    // read before its call.
    return joinPortions(portions.toReversed())
  }

  #readAgain(): NewEntries['portions'] {
    const limits = this.#transcripts.map(({ lines }) => lines.place.offset)
    this.#transcripts = this.#transcripts.map(({ files }) => this.#open(files))
    return this.#readAll(limits)
  }
}
