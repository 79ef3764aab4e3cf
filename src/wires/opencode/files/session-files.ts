import { asString, type JsonObject } from '../../../core/json/values.ts'
import { type CombinedTranscript, severalSessions, TranscriptError } from '../../../reading/input/combined.ts'
import type { Content } from '../../../reading/input/entries.ts'
import {
  combineFiles,
  type FileReader,
  type TranscriptFiles,
} from '../../../reading/input/transcript-files.ts'
import type { Transcript } from '../../../reading/input/transcripts.ts'
import type { StoredSession } from '../../format.ts'
import { calledSessions, inOrderOfStart, isExport } from './export.ts'
import { readStoredAmong } from './stored-session.ts'

/**
 * Bundles the exports of a session and its subagents, by path, into one transcript. It skips other JSON and reads a
 * truncated file as one broken line. Without an export, the files of a storage folder of OpenCode before 1.2 are the
 * session. Main is the session whose parent is not among the files and that no call names, or the first session if the parents form a
 * circle. Throws a `TranscriptError` if there is none, or more than one.
 */
export function opencodeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, opencodeFiles)
}

/**
 * Returns the exports with their contents, and the truncated files. Throws a `TranscriptError` if there is no main
 * session, or more than one.
 */
export function opencodeFiles(
  paths: readonly string[],
  reader: FileReader,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const exports: ExportFile[] = []
  const truncated: TranscriptFiles[] = []
  let roots = 0
  for (const path of paths) {
    const value = reader.value(path)
    if (value === undefined && path.endsWith('.json')) truncated.push({ id: path, path, content: { value } })
    if (!isExport(value)) continue
    if (value.info.parentID === undefined) roots += 1
    // The error about several sessions needs no contents.
    const content = roots > 1 ? { lines: '' } : { value }
    exports.push({ path, info: value.info, content })
  }
  const stored = exports.length === 0 ? readStoredAmong(paths, reader) : undefined
  if (stored) return storedFiles(stored)
  const main = mainFileOf(exports)
  const agents = inOrderOfStart(exports.filter((file) => file !== main))
  return [
    { path: main.path, content: main.content },
    ...agents.map(({ path, info, content }) => ({ id: asString(info.id) ?? path, path, content })),
    ...truncated,
  ]
}

/** Whether the file is the export of a subagent, without that of its parent beside it. */
export function isExportAlone(path: string, reader: FileReader): boolean {
  const own = reader.value(path)
  if (!isExport(own)) return false
  const parent = asString(own.info.parentID) ?? ''
  const folder = path.slice(0, -(path.split(/[\\/]/).at(-1) ?? '').length)
  return !reader.names(folder).includes(`${parent}.json`) && !exportedIn(folder, reader).has(parent)
}

/** The ids of the exports in the folders that a pass has read. To read them again for each export of a large folder takes long. */
const idsOfPass = new WeakMap<object, Map<string, ReadonlySet<unknown>>>()

function exportedIn(folder: string, reader: FileReader): ReadonlySet<unknown> {
  const known = (reader.pass && idsOfPass.get(reader.pass)) ?? new Map<string, ReadonlySet<unknown>>()
  if (reader.pass) idsOfPass.set(reader.pass, known)
  const names = known.has(folder) ? [] : reader.names(folder).filter((name) => name.endsWith('.json'))
  const ids =
    known.get(folder) ??
    new Set(
      names.flatMap((name) => {
        const value = reader.value(folder + name)
        return isExport(value) ? [value.info.id] : []
      }),
    )
  known.set(folder, ids)
  return ids
}

/** Returns the transcripts of a session with a file per message. No single file has the content of one. */
function storedFiles({ transcripts: [main, ...agents], sources }: StoredSession) {
  const [path = ''] = sources
  const fileOf = (each: Transcript) => ({ path, content: { lines: textOf(each) } })
  return [fileOf(main), ...agents.map((each) => ({ ...fileOf(each), id: each.id ?? '' }))] as const
}

function textOf({ content }: Transcript): string {
  return 'lines' in content ? content.lines : JSON.stringify(content.value)
}

interface ExportFile {
  readonly path: string
  readonly info: JsonObject
  readonly content: Content
}

function calledIn(content: Content): readonly unknown[] {
  return 'value' in content && isExport(content.value) ? [...calledSessions(content.value)] : []
}

function mainFileOf(exports: readonly ExportFile[]): ExportFile {
  const ids = new Set<string | undefined>(exports.map(({ info, path }) => asString(info.id) ?? path))
  const called = new Set(exports.flatMap(({ content }) => calledIn(content)))
  const isAgent = ({ id, parentID }: JsonObject) =>
    typeof parentID === 'string' && (ids.has(parentID) || called.has(id))
  const roots = exports.filter(({ info }) => !isAgent(info))
  const main = roots[0] ?? exports[0]
  if (!main)
    throw new TranscriptError('no-session', "no session among the files: OpenCode's export is needed")
  if (roots.length > 1) throw severalSessions(roots.map(({ path }) => path))
  return main
}
