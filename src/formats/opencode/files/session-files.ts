import { asFiniteNumber, asObject, asString } from '../../../json/values.ts'
import { type CombinedTranscript, type SubagentTranscript, TranscriptError } from '../../combined.ts'
import { fileValue } from '../../jsonl.ts'
import { isExport } from './export.ts'

interface ExportFile {
  readonly path: string
  readonly id: string
  readonly parentId: string | undefined
  /** In ms since the epoch. */
  readonly created: number
  readonly transcript: string
}

/**
 * Bundles the exports of a session and its subagents, by path, into one transcript; other JSON is left out, and what is cut is
 * read as a broken line. Main is the session whose parent is not among them, the first one where parents go round in a circle.
 * Throws a `TranscriptError` if there is none, or more than one.
 */
export function opencodeTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const exports = Object.entries(files).flatMap(([path, transcript]) => exportFile(path, transcript))
  const ids = new Set(exports.map(({ id }) => id))
  const tops = exports.filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
  // Where the parents go round in a circle, the first one is as good as any.
  const roots = tops.length > 0 ? tops : exports.slice(0, 1)
  const [main, ...others] = roots
  if (!main)
    throw new TranscriptError('no-session', "no session among the files: OpenCode's export is needed")
  if (others.length > 0)
    throw new TranscriptError(
      'several-sessions',
      `several sessions, choose one: ${roots.map(({ path }) => path).join(', ')}`,
    )
  const subagents = exports
    .filter((each) => each !== main)
    .sort((left, right) => left.created - right.created)
    .map(({ id, transcript }) => ({ id, transcript }))
  return { main: main.transcript, subagents: [...subagents, ...brokenFiles(files)] }
}

/** An export that was cut is read as one broken line, to be said. Other JSON beside the exports is none of ours. */
function brokenFiles(files: Readonly<Record<string, string>>): readonly SubagentTranscript[] {
  return Object.entries(files).flatMap(([id, transcript]) =>
    id.endsWith('.json') && fileValue(transcript) === undefined
      ? [{ id, transcript: transcript.replaceAll('\n', ' ') }]
      : [],
  )
}

function exportFile(path: string, transcript: string): readonly ExportFile[] {
  const value = fileValue(transcript)
  if (!isExport(value)) return []
  const { id, parentID, time } = value.info
  const created = asFiniteNumber(asObject(time).created) ?? 0
  return [{ path, id: asString(id) ?? path, parentId: asString(parentID), created, transcript }]
}
