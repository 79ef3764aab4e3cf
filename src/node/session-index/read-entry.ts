import { createHash } from 'node:crypto'
import { basename, dirname, extname, normalize, sep } from 'node:path'
import { isEqual } from '../../core/json/equal.ts'
import type { SessionConversationState } from '../../core/state/session.ts'
import { TranscriptError } from '../../reading/input/combined.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { allFormats, formatOf } from '../../wires/all.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { isMissing, overflowMessage } from '../files/read-error.ts'
import { readPieces } from '../files/read-piece.ts'
import { chooseSession } from '../follow/choose-session.ts'
import { FollowedSession } from '../follow/followed-session.ts'
import { GrowingFiles } from '../follow/growing-files.ts'
import { loadProgress, type SessionProgress, saveProgress } from '../follow/progress.ts'
import type { Candidate } from '../list/part-candidates.ts'
import { isNoSession, type ListIssue, listIssue, type SessionSummary } from '../list/session-summary.ts'
import type { FoundSession } from '../read/find-in-folder.ts'
import { findSession, pathsOf } from '../read/find-session.ts'
import { openSession } from '../read/open-session.ts'
import { readInput } from '../read/read-input.ts'
import { isStoredSession } from '../read/stored-session.ts'
import { searchedTexts } from '../search.ts'
import { type Entry, type EntryHead, entryOf, type KeptProgress } from './entry.ts'
import { areSame, FileStamps, guardOf, isAnyRecent, SourceTracer, sizeIn } from './file-stamps.ts'
import { keptRow } from './kept-row.ts'
import { packedTexts } from './packed-texts.ts'
import { detailsOf, NO_DETAILS } from './session-details.ts'
import { rowFacts } from './session-row.ts'
import { SignatureMaker } from './text-signature.ts'

/** The parts that the readings of one update share. */
export interface ReadingContext {
  readonly stamps: FileStamps
  /** Keeps what several sessions look at. */
  readonly reader: FileReader
  readonly isNeighbour: (path: string, ownPath: string) => boolean
  /** The time before the first stamp, in ms since the epoch. */
  readonly startedAt: number
  /** The texts of one session are added and taken at once, so all sessions share its memory. */
  readonly signatures: SignatureMaker
}

/** Returns the context of the readings of one update. `keys` are those of all sessions. */
export function readingContext({
  reader,
  keys,
  startedAt,
  stamps = new FileStamps(),
}: Pick<ReadingContext, 'reader' | 'startedAt'> & {
  readonly keys: readonly string[]
  readonly stamps?: FileStamps
}): ReadingContext {
  let neighbours: Neighbours | undefined
  const isNeighbour = (path: string, own: string) => {
    neighbours ??= new Neighbours(keys)
    return neighbours.isNeighbour(path, own)
  }
  return { stamps, reader, isNeighbour, startedAt, signatures: new SignatureMaker() }
}

/**
 * Reads a file or a session in a database for an index. With the progress of the last reading, it reads the new lines
 * alone. `keepsProgress` asks for the progress of this reading.
 */
export async function readEntry(
  candidate: Candidate,
  { stamps, reader, isNeighbour, startedAt, signatures }: ReadingContext,
  {
    progress,
    keepsProgress = false,
  }: { readonly progress?: KeptProgress | undefined; readonly keepsProgress?: boolean } = {},
): Promise<Entry> {
  const { key } = candidate
  const tracer = new SourceTracer(key, stamps, (path) => isNeighbour(path, key))
  const guard = guardOf(candidate.path, sizeIn(stamps.of(candidate.path)))
  let issue: ListIssue | undefined
  let isNone = false
  const report = (error: unknown) => {
    isNone ||= isNoSession(error)
    issue ??= listIssue(error, key)
  }
  // The session's own file is the first one.
  tracer.add(candidate.path)
  let whole: SessionConversationState | undefined
  const onWhole = (state: SessionConversationState) => {
    whole = state
  }
  const found = await orReport(() => candidate.summarize(onWhole), report)
  noteFacts(key, tracer)
  const read =
    found &&
    (await orReport(() => readState(found, tracer, { reader, progress, keepsProgress, whole }), report))
  // Its ends look like those of a session, and `show` finds none.
  const summary = isNone ? undefined : found
  const state = read?.state
  if (summary && state)
    for (const text of searchedTexts({ title: summary.title, state })) signatures.add(text)
  const row = summary && keptRow(summary, state)
  const { parts, tools, ...details } = summary && state ? detailsOf(state, summary) : NO_DETAILS
  const head: EntryHead = {
    ...{ key, changedAt: candidate.stats?.mtimeMs ?? 0, guard },
    ...(read?.found !== undefined && { found: read.found }),
    isRecent: isAnyRecent(tracer.stamps, startedAt),
    ...(row && { facts: rowFacts(row) }),
    ...(issue && { issue }),
  }
  const values = { stamps: tracer.stamps, row: row ?? null, parts, tools, details }
  const texts = state ? packedTexts(summary?.title, state) : new Uint8Array()
  return entryOf(
    head,
    { ...values, progress: read?.progress ?? null },
    { signature: signatures.take(), texts },
  )
}

/** Errors of an input are reported, or are no news: the list says what it cannot read. */
async function orReport<Value>(
  work: () => Promise<Value>,
  report: (error: unknown) => void = () => {},
): Promise<Value | undefined> {
  try {
    return await work()
  } catch (error) {
    const isOfInput =
      error instanceof TranscriptError || overflowMessage(error) !== undefined || isSystemError(error)
    if (!isOfInput) throw error
    if (!isMissing(error)) report(error)
    return undefined
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error
}

/** Notes the file with facts beside a session's own, which may not exist yet. */
function noteFacts(path: string, tracer: SourceTracer): void {
  for (const { files, storage } of allFormats()) {
    const factsPath = files.isSession(path) ? storage.factsPath?.(path) : undefined
    if (factsPath !== undefined) tracer.add(factsPath)
  }
}

interface StateReading {
  readonly state: SessionConversationState
  readonly progress?: KeptProgress
  readonly found?: string
}

/** Returns a checksum of the files of a session, as a look at the folder finds them. */
export async function foundFiles(path: string, reader: FileReader): Promise<string | undefined> {
  return orReport(async () => filesSum(await findSession(path, { reader }), agentFolders(path, reader)))
}

function filesSum({ transcripts }: FoundSession, folders: ReturnType<typeof agentFolders>): string {
  return createHash('sha1')
    .update(JSON.stringify([transcripts, folders]))
    .digest('base64url')
}

/** Returns the folders of a session's agents, by format. */
function agentFolders(
  path: string,
  reader: FileReader,
): readonly (readonly [folder: string | undefined, further: readonly string[] | undefined])[] {
  return allFormats().map(({ files }) => {
    const places = files.isSession(path) ? files.agentFiles(path, reader) : undefined
    return [places?.folder, places?.furtherFolders?.(reader)]
  })
}

interface StateOptions {
  readonly reader: FileReader
  readonly progress: KeptProgress | undefined
  readonly keepsProgress: boolean
  /** The state of the session's own file alone. */
  readonly whole: SessionConversationState | undefined
}

async function readState(
  { path, format }: SessionSummary,
  tracer: SourceTracer,
  { reader: plain, progress, keepsProgress, whole }: StateOptions,
): Promise<StateReading> {
  const reader = tracer.reader(plain)
  // The sources come first: what changes while the session is read is read again.
  const folders = agentFolders(path, reader)
  for (const [folder, further = []] of folders) {
    if (folder !== undefined) await tracer.addFolders(folder)
    for (const each of further) await tracer.addFolders(each)
  }
  const ownFiles = isStoredSession(path, reader) ? undefined : await findSession(path, { reader })
  const isAlone = whole !== undefined && ownFiles?.transcripts.flatMap(pathsOf).length === 1
  const opened =
    isAlone && !keepsProgress
      ? undefined
      : await openSession(path, { reader, ...(ownFiles && { found: ownFiles }) })
  for (const source of opened?.sources ?? []) if (source !== path) tracer.add(source)
  const own = ownFiles && filesSum(ownFiles, folders)
  const found = tracer.hasNeighbours ? (own ?? (await foundFiles(path, plain))) : undefined
  if (!opened && whole) return { state: whole, ...(found !== undefined && { found }) }
  if (opened?.content === 'lines' && (keepsProgress || progress !== undefined)) {
    const read = await readOn(normalize(path), format, progress)
    if (read) {
      const { progress: end, ...rest } = read
      // A file that was rewritten meanwhile would have the sums of its new content, beside a state of the old one.
      const isSame = areSame(tracer.stamps, new FileStamps())
      return { ...rest, ...(isSame && end && { progress: end }), ...(found !== undefined && { found }) }
    }
  }
  const { state } = await readInput(opened ?? (await openSession(path, { reader })), undefined, {})
  return { state, ...(found !== undefined && { found }) }
}

/** Reads a session of lines from its last progress, or from its beginning. Undefined if only a reading of the whole is right. */
async function readOn(
  path: string,
  architecture: SessionSummary['format'],
  saved: KeptProgress | undefined,
): Promise<StateReading | undefined> {
  // A file that has grown may have changed before its end, too.
  const isSame = saved !== undefined && isEqual(await sumsOf(saved.place), saved.sums)
  const place = isSame ? await loadProgress(saved.place) : undefined
  const lines = place?.architecture === architecture ? place.lines : undefined
  const followed =
    place && lines
      ? await FollowedSession.open(
          architecture,
          new GrowingFiles(lines.path, formatOf(architecture), lines.threads),
          place,
        )
      : await chooseSession(path)
  const read = await followed?.read()
  if (!followed || !read) return undefined
  if ('restart' in read) return saved === undefined ? undefined : readOn(path, architecture, undefined)
  const { place: end } = followed
  // The reading of a whole file reports half of a line at its end.
  const isWhole = end.lines?.threads.every(({ offset, lineStart }) => offset === lineStart)
  if (!isWhole || end.architecture !== architecture) return undefined
  const { session } = (await sourceOf(architecture)).end(followed.session)
  const saving = saveProgress(end)
  return { state: session.state, progress: { place: saving, sums: await sumsOf(saving) } }
}

/** Returns a checksum of each file of a session, up to the place. */
function sumsOf({ lines }: SessionProgress): Promise<readonly string[]> {
  const sums = (lines?.threads ?? []).map(async ({ path, offset }) => {
    const hash = createHash('sha1')
    for await (const bytes of readPieces(path, 0, offset)) hash.update(bytes)
    return hash.digest('base64url')
  })
  return Promise.all(sums)
}

/** The sessions' files in each folder. */
class Neighbours {
  readonly #keys: ReadonlySet<string>
  /** The names of the files without their endings: a session's own folder has such a name. */
  readonly #names = new Map<string, Set<string>>()

  constructor(keys: readonly string[]) {
    this.#keys = new Set(keys)
    for (const key of keys) {
      const folder = dirname(key)
      const names = this.#names.get(folder) ?? new Set()
      names.add(nameOf(key))
      this.#names.set(folder, names)
    }
  }

  /** Whether the path is that of another session in the same folder, or is in that session's own folder. */
  isNeighbour(path: string, ownKey: string): boolean {
    const folder = dirname(ownKey)
    if (path === ownKey) return false
    if (this.#keys.has(path)) return dirname(path) === folder
    if (!path.startsWith(folder + sep)) return false
    const [first = ''] = path.slice(folder.length + 1).split(/[\\/]/)
    return first !== nameOf(ownKey) && this.#names.get(folder)?.has(first) === true
  }
}

function nameOf(path: string): string {
  return basename(path, extname(path))
}
