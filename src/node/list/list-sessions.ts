import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { type Architecture, allFormats } from '../../formats/all.ts'
import { TranscriptError } from '../../formats/combined.ts'
import type { AgentFilePlaces, Environment, Format, SessionDatabase } from '../../formats/format.ts'
import { omitUndefined } from '../../json/omit-undefined.ts'
import { withDatabase } from '../files/database.ts'
import { fileReader } from '../files/file-reader.ts'
import { isMissing, readError } from '../files/read-error.ts'
import { databasePath } from '../read/stored-session.ts'
import { filesAtDepth, filesBelow, newestFiles, type OnUnreadable, type SessionFile } from './find-files.ts'
import type { ListIssue, SessionSummary } from './session-summary.ts'
import { promptText, summarizeFile } from './summarize-file.ts'

/** Which sessions to list. */
export interface ListOptions {
  /** The person's home folder. With it, environment variables do not count. The default is the home folder of this process. */
  readonly home?: string
  /** Folders to search at any depth, in place of the programs' own. */
  readonly roots?: readonly string[]
  /** The greatest number of sessions. */
  readonly limit?: number
  /** Ends the listing. */
  readonly signal?: AbortSignal
  /** Gets each file, folder or database that cannot be read. The listing skips it. */
  readonly onIssue?: (issue: ListIssue) => void
}

/**
 * Lists the sessions of all programs on this machine, newest first by the time of the last change. It reads at most the first and the last
 * 64 KiB of a session's file, and no file of a subagent. Files of other programs are skipped.
 */
export async function* listSessions(options: ListOptions = {}): AsyncGenerator<SessionSummary, void> {
  const { limit = Number.POSITIVE_INFINITY, signal } = options
  const listing = new Listing(options)
  let count = 0
  for (const candidate of await listing.candidates()) {
    if (signal?.aborted || count >= limit) return
    const summary = await listing.summarize(candidate)
    if (!summary) continue
    count += 1
    yield summary
  }
}

/** A session that is found and not read yet. */
interface Candidate {
  readonly changedAt: number
  readonly summarize: () => Promise<SessionSummary | undefined>
  readonly path: string
}

class Listing {
  readonly #options: ListOptions
  readonly #onUnreadable: OnUnreadable

  constructor(options: ListOptions) {
    this.#options = options
    this.#onUnreadable = (path, error) => this.#report(path, error)
  }

  /** Returns the sessions newest first. */
  async candidates(): Promise<readonly Candidate[]> {
    const files = await newestFiles(await this.#files(), this.#onUnreadable)
    const all = [...files.map(fileCandidate), ...(await this.#storedSessions())]
    return all.sort((left, right) => right.changedAt - left.changedAt)
  }

  async summarize({ path, summarize }: Candidate): Promise<SessionSummary | undefined> {
    try {
      return await summarize()
    } catch (error) {
      // The file may be gone since it was found.
      if (!isMissing(error)) this.#report(path, error)
      return undefined
    }
  }

  async #files(): Promise<readonly Omit<SessionFile, 'changedAt'>[]> {
    const { roots } = this.#options
    const files: Omit<SessionFile, 'changedAt'>[] = []
    for (const root of roots ?? [])
      for (const path of await filesBelow(root, isSessionOfAny, this.#onUnreadable))
        files.push({ path, formats: allFormats().filter((format) => format.files.isSession(path)) })
    if (roots) return files
    for (const format of allFormats())
      for (const { path: folder, depth } of format.storage.folders(this.#environment))
        for (const path of await filesAtDepth(folder, depth, this.#onUnreadable))
          if (format.files.isSession(path)) files.push({ path, formats: [format] })
    return files
  }

  /** Returns the sessions in the programs' databases. */
  async #storedSessions(): Promise<readonly Candidate[]> {
    if (this.#options.roots) return []
    const found: Candidate[] = []
    for (const { program, storage } of allFormats()) {
      const { database } = storage
      if (!database) continue
      for (const path of database.paths(this.#environment))
        if (await exists(path))
          for (const each of this.#sessionsIn(path, program.name, database)) found.push(each)
    }
    return found
  }

  #sessionsIn(path: string, format: Architecture, database: SessionDatabase): readonly Candidate[] {
    try {
      const rows = withDatabase(path, (query) => database.sessions(query)).filter((row) => !row.isSubagent)
      return rows.map((row) => ({
        path,
        changedAt: Date.parse(row.updatedAt ?? '') || 0,
        summarize: async () => {
          const prompt = withDatabase(path, (query) => database.firstPrompt(row.id, query))
          const place = { path: databasePath(path, row.id), format }
          return omitUndefined({ ...row, ...place, firstPrompt: promptText(prompt) })
        },
      }))
    } catch (error) {
      this.#report(path, error)
      return []
    }
  }

  get #environment(): Environment {
    const { home } = this.#options
    return home === undefined ? { home: homedir(), variables: process.env } : { home, variables: {} }
  }

  #report(path: string, error: unknown): void {
    const { code, message } = error instanceof TranscriptError ? error : readError(error)
    const reason = message.startsWith(`${path}: `) ? message.slice(path.length + 2) : message
    this.#options.onIssue?.({ code: code === 'no-database-reader' ? code : 'unreadable', path, reason })
  }
}

function isSessionOfAny(path: string): boolean {
  return allFormats().some(({ files }) => files.isSession(path))
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile()
  } catch (error) {
    if (isMissing(error)) return false
    throw readError(error, path)
  }
}

function fileCandidate({ path, formats, changedAt }: SessionFile): Candidate {
  return { path, changedAt, summarize: () => summarizeAny(path, formats, changedAt) }
}

/** Summarizes a file with the first format that recognizes it. */
async function summarizeAny(
  path: string,
  formats: readonly Format<Architecture>[],
  changedAt: number,
): Promise<SessionSummary | undefined> {
  for (const format of formats) {
    const summary = await summarizeFile(path, format)
    if (!summary) continue
    const updatedAt = summary.updatedAt ?? new Date(changedAt).toISOString()
    return omitUndefined({ ...summary, updatedAt, agents: await agentCount(path, format) })
  }
  return undefined
}

/** Returns the number of subagents' files; undefined if the program has no place for them, or the place is missing. */
async function agentCount(path: string, { files }: Format<Architecture>): Promise<number | undefined> {
  const places = files.agentFiles(path)
  if (!places) return undefined
  if (places.folder === undefined) return agentsBeside(path, files, places)
  try {
    const parts = (await readdir(places.folder)).map((name) => files.part(name))
    return parts.filter(({ agentId, isFacts }) => agentId !== undefined && !isFacts).length
  } catch (error) {
    if (isMissing(error)) return undefined
    throw readError(error, places.folder)
  }
}

/** Reads the beginnings of the files beside the session's own, because their names do not show the session. */
async function agentsBeside(path: string, files: Format['files'], places: AgentFilePlaces): Promise<number> {
  const names = (await readdir(dirname(path))).filter((name) => places.isBeside(name))
  const others = names.map((name) => join(dirname(path), name)).filter((other) => other !== path)
  const own = files.select([path, ...others], fileReader, path)
  return own.filter((each) => files.part(each, path).agentId !== undefined).length
}
