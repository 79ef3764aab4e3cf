import { stat } from 'node:fs/promises'
import { basename, extname, sep } from 'node:path'
import { omitUndefined } from '../../core/json/fields.ts'
import type { Architecture, Program } from '../../programs/program.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { allFormats, formatOf } from '../../wires/all.ts'
import type { Format, SessionDatabase } from '../../wires/format.ts'
import { hasFilesOfOneId } from '../../wires/names.ts'
import { withDatabase } from '../files/database.ts'
import { databasePath } from '../files/database-path.ts'
import { architectureOfFile, keepFirstValues } from '../files/detect-file.ts'
import { fileReader } from '../files/file-reader.ts'
import type { OnUnreadable } from '../files/list-files.ts'
import { cutError, isMissing, readError } from '../files/read-error.ts'
import { isCut, readEnds } from './file-ends.ts'
import { filesAtDepth, filesBelow, newestFiles, type SessionFile } from './find-files.ts'
import { type Candidate, partCandidates } from './part-candidates.ts'
import { programPlaces } from './program-places.ts'
import { type ListOptions, listIssue, type SessionSummary } from './session-summary.ts'
import { lastTimeOf, promptText, type SummaryOptions, summarizeFile, utcTime } from './summarize-file.ts'

/** How to list, for a part of this library. */
interface ListingOptions extends ListOptions {
  /** Gets each folder and database of the programs before it is read, and those that do not exist. */
  readonly onFolder?: (path: string) => void
  /** Reads the beginnings of files. */
  readonly reader?: FileReader
}

/** Finds the files and the database rows that may hold sessions. */
export class Listing {
  readonly #options: ListingOptions
  readonly #onUnreadable: OnUnreadable
  readonly #reader: FileReader

  constructor(options: ListingOptions) {
    // The characters of a text would be folders, and one of them may be the root of the disk.
    if (typeof options.roots === 'string') throw new TypeError('roots: pass a list of folders')
    this.#options = options
    this.#reader = options.reader ?? keepFirstValues(fileReader)
    this.#onUnreadable = (path, error) => this.#report(path, error)
  }

  /** Returns the sessions of the files, the newest file first, and then those of the databases. */
  async candidates(): Promise<readonly Candidate[]> {
    const files = await newestFiles(await this.#files(), this.#onUnreadable)
    return [...this.#candidatesOf(files), ...(await this.#storedSessions())]
  }

  /** Returns those of the sessions in files that `candidates` has found before. Undefined if one is in no file of a program. */
  async candidatesOf(keys: readonly string[]): Promise<readonly Candidate[] | undefined> {
    const { home, roots } = this.#options
    if (roots) return this.candidatesAt(keys)
    const places = programPlaces(home)
    const files: Pick<SessionFile, 'path' | 'formats'>[] = []
    for (const path of keys) {
      const place = places.find(
        ({ wire, folders, files: own }) =>
          own.includes(path) ||
          folders.some((folder) => isAtDepth(path, folder) && formatOf(wire).files.isSession(path)),
      )
      if (!place) return undefined
      files.push({ path, formats: [formatOf(place.wire)] })
    }
    const found = await newestFiles(files, this.#onUnreadable)
    return this.#candidatesOf(found)
  }

  /** Returns the sessions of those files, the newest file first. */
  async candidatesAt(paths: readonly string[]): Promise<readonly Candidate[]> {
    const files = paths.map((path) => ({ path, formats: formatsOf(path) }))
    return this.#candidatesOf(await newestFiles(files, this.#onUnreadable))
  }

  /** A file is a session, or has several. */
  #candidatesOf(files: readonly SessionFile[]): readonly Candidate[] {
    return files.flatMap((file) => {
      try {
        return partCandidates(file, this.#reader) ?? [fileCandidate(file, this.#reader)]
      } catch (error) {
        if (!isMissing(error)) this.#report(file.path, error)
        return []
      }
    })
  }

  /** Returns the result of reading a candidate. Undefined if it cannot be read. */
  async read<Value>({ path }: Candidate, work: () => Promise<Value>): Promise<Value | undefined> {
    try {
      return await work()
    } catch (error) {
      // The file may be gone since it was found.
      if (!isMissing(error)) this.#report(path, error)
      return undefined
    }
  }

  async #files(): Promise<readonly Pick<SessionFile, 'path' | 'formats'>[]> {
    const { roots } = this.#options
    const files: Pick<SessionFile, 'path' | 'formats'>[] = []
    for (const root of roots ?? [])
      for (const path of await filesBelow(root, isSessionOfAny, this.#onUnreadable))
        files.push({ path, formats: formatsOf(path) })
    if (roots) return files
    const reports = { onUnreadable: this.#onUnreadable, onFolder: this.#options.onFolder }
    for (const { wire, folders, files: own } of programPlaces(this.#options.home)) {
      for (const path of own) {
        this.#options.onFolder?.(path)
        if (await exists(path)) files.push({ path, formats: [formatOf(wire)] })
      }
      for (const { path: folder, depth } of folders)
        for (const path of await filesAtDepth(folder, depth, reports))
          if (formatOf(wire).files.isSession(path)) files.push({ path, formats: [formatOf(wire)] })
    }
    return files
  }

  /** Returns the sessions in the programs' databases. */
  async #storedSessions(): Promise<readonly Candidate[]> {
    if (this.#options.roots) return []
    const found: Candidate[] = []
    for (const { program, databases } of programPlaces(this.#options.home)) {
      const { database } = formatOf(program.wire).storage
      for (const path of databases) {
        for (const each of [path, `${path}-wal`]) this.#options.onFolder?.(each)
        if (!database || !(await exists(path))) continue
        for (const each of this.#sessionsIn(path, program, database)) found.push(each)
      }
    }
    return found
  }

  #sessionsIn(
    path: string,
    { wire: format, names: [program] }: Program,
    database: SessionDatabase,
  ): readonly Candidate[] {
    try {
      const rows = withDatabase(path, (query) => database.sessions(query)).filter((row) => !row.isSubagent)
      return rows.map((row) => ({
        path,
        key: databasePath(path, row.id),
        name: row.id,
        hasFurtherFiles: false,
        updatedAt: async () => utcTime(row.updatedAt) ?? NO_TIME,
        summarize: async () => {
          const prompt = withDatabase(path, (query) => database.firstPrompt(row.id, query))
          const place = { path: databasePath(path, row.id), format, program }
          return omitUndefined({ ...row, ...place, firstPrompt: promptText(prompt) })
        },
        mayHave: async () => true,
      }))
    } catch (error) {
      this.#report(path, error)
      return []
    }
  }

  #report(path: string, error: unknown): void {
    this.#options.onIssue?.(listIssue(error, path))
  }
}

/** Sorts a session without a time after all others. */
const NO_TIME = new Date(0).toISOString()

/** Whether a folder with that file may be listed: the name is that of a session in some format. */
export function isSessionOfAny(path: string): boolean {
  return formatsOf(path).length > 0
}

/** Returns the formats that know the name of the file. */
function formatsOf(path: string): readonly Format<Architecture>[] {
  return allFormats().filter(({ files }) => files.isSession(path))
}

function isAtDepth(path: string, folder: { readonly path: string; readonly depth: number }): boolean {
  const start = folder.path.endsWith(sep) ? folder.path : folder.path + sep
  return path.startsWith(start) && path.slice(start.length).split(sep).length === folder.depth + 1
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch (error) {
    if (isMissing(error)) return false
    throw readError(error, path)
  }
}

function fileCandidate(file: SessionFile, reader: FileReader): Candidate {
  const { path, changedAt, formats, stats } = file
  let summary: Promise<SessionSummary | undefined> | undefined
  const summarize = (onWhole?: SummaryOptions['onWhole']) => {
    summary ??= summarizeAny(file, { reader, ...(onWhole && { onWhole }) })
    return summary
  }
  let time: Promise<string> | undefined
  const updatedAt = () => {
    time ??= lastTimeOf(path, formats[0]?.transcripts ?? {}).then(
      async (last) => last ?? (await summarize())?.updatedAt ?? new Date(changedAt).toISOString(),
    )
    return time
  }
  return {
    ...{ path, key: path, stats },
    name: basename(path, extname(path)),
    hasFurtherFiles: formats.some(({ name }) => hasFilesOfOneId(name)),
    updatedAt,
    async summarize(onWhole) {
      const found = await summarize(onWhole)
      // The order of the list and the printed time are one value.
      return found && { ...found, updatedAt: await updatedAt() }
    },
    async mayHave(text) {
      // The facts may be in a file beside it, or in an older file of the session.
      if (
        formats.some(({ name, storage }) => hasFilesOfOneId(name) || storage.factsPath?.(path) !== undefined)
      )
        return true
      const { head, tail } = await readEnds(path)
      return head.includes(text) || tail.includes(text)
    },
  }
}

/**
 * Summarizes a file with the first format that recognizes it. Formats that know its name come first, and then the one
 * that its content shows.
 */
async function summarizeAny(
  { path, formats }: SessionFile,
  reader: SummaryOptions,
): Promise<SessionSummary | undefined> {
  for (const format of formats) {
    const summary = await summarizeFile(path, format, reader)
    if (summary) return summary
  }
  const detected = architectureOfFile(path)
  if (detected !== undefined && !formats.some(({ name }) => name === detected))
    return summarizeFile(path, formatOf(detected), reader)
  const ends = await readEnds(path)
  // It begins with something else than an object, a list or a comment of JSON. An empty file is new.
  if (/^\s*[^\s{[/]/.test(ends.head))
    throw new TranscriptError('not-a-transcript', 'damaged: it does not begin with JSON', { path })
  if (isCut(ends)) throw cutError(path)
  return undefined
}
