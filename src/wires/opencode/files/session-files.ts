import { asFiniteNumber, asObject, asString } from '../../../json/values.ts'
import {
  type CombinedTranscript,
  type SubagentTranscript,
  severalSessions,
  TranscriptError,
} from '../../../session/input/combined.ts'
import { fileValue } from '../../../session/input/jsonl.ts'
import type { FileReader } from '../../format.ts'
import { isExport } from './export.ts'

/**
 * Bundles the exports of a session and its subagents, by path, into one transcript. It skips other JSON and reads a truncated
 * file as one broken line. Main is the session whose parent is not among the files, or the first session if the parents form a
 * circle. Throws a `TranscriptError` if there is none, or more than one.
 */
export function opencodeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const exports: ExportFile[] = []
  const truncated: SubagentTranscript[] = []
  for (const [path, transcript] of Object.entries(files)) {
    const value = fileValue(transcript)
    // Reading reports one broken line.
    if (value === undefined && path.endsWith('.json'))
      truncated.push({ id: path, transcript: transcript.replaceAll('\n', ' ') })
    exports.push(...exportFacts(path, value).map((facts) => ({ ...facts, transcript })))
  }
  const main = findMainFile(exports)
  const subagents = exports
    .filter((file) => file !== main)
    .sort((left, right) => left.created - right.created)
    .map(({ id, transcript }) => ({ id, transcript }))
  return { main: main.transcript, subagents: [...subagents, ...truncated] }
}

/**
 * Returns the paths of the exports and of the truncated files. Reads file by file and keeps only what each export says about its session.
 * Throws a `TranscriptError` if there is no main session, or more than one.
 */
export function selectOpencodeFiles(paths: readonly string[], reader: FileReader): readonly string[] {
  const exports: ExportFacts[] = []
  const truncated: string[] = []
  for (const path of paths) {
    const value = reader.value(path)
    if (value === undefined) truncated.push(path)
    exports.push(...exportFacts(path, value))
  }
  findMainFile(exports)
  return [...exports.map(({ path }) => path), ...truncated]
}

interface ExportFacts {
  readonly path: string
  readonly id: string
  readonly parentId: string | undefined
  /** In ms since the epoch. */
  readonly created: number
}

interface ExportFile extends ExportFacts {
  readonly transcript: string
}

/** Returns the facts of an export, or nothing for another value. */
function exportFacts(path: string, value: unknown): readonly ExportFacts[] {
  if (!isExport(value)) return []
  const { id, parentID, time } = value.info
  const created = asFiniteNumber(asObject(time).created) ?? 0
  return [{ path, id: asString(id) ?? path, parentId: asString(parentID), created }]
}

function findMainFile<File extends ExportFacts>(exports: readonly File[]): File {
  const ids = new Set(exports.map(({ id }) => id))
  const roots = exports.filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
  const main = roots[0] ?? exports[0]
  if (!main)
    throw new TranscriptError('no-session', "no session among the files: OpenCode's export is needed")
  if (roots.length > 1) throw severalSessions(roots.map(({ path }) => path))
  return main
}
