import type { Stats } from 'node:fs'
import { omitUndefined } from '../../core/json/fields.ts'
import type { FileReader } from '../../reading/input/transcript-files.ts'
import { joinTranscripts } from '../../reading/input/transcripts.ts'
import { sourceOf } from '../../wires/source-of.ts'
import { databasePath } from '../files/database-path.ts'
import { foldEntries } from '../fold.ts'
import type { SessionFile } from './find-files.ts'
import type { SessionSummary } from './session-summary.ts'
import { firstPromptOf, type SummaryOptions, tokensOf } from './summarize-file.ts'

/** Returns the sessions in a file that has several, the first one first; undefined for any other file. */
export function partCandidates(file: SessionFile, reader: FileReader): readonly Candidate[] | undefined {
  const { path, stats, formats } = file
  for (const format of formats) {
    const ids = format.storage.sessionsIn?.(path, reader)
    if (!ids) continue
    return ids.map((id, at) => {
      const key = databasePath(path, id)
      // Only the last session of the file can have changed since it began.
      const time =
        at === ids.length - 1 ? new Date(file.changedAt).toISOString() : localTime(ids[at + 1] ?? id)
      return {
        ...{ path, key, stats, name: id, hasFurtherFiles: false },
        updatedAt: async () => time,
        summarize: () => summarize(key, { id, format, reader, updatedAt: time }),
        mayHave: async () => true,
      }
    })
  }
  return undefined
}

/** Returns a time without a zone as that of this machine, which has written it. */
function localTime(text: string): string {
  const ms = Date.parse(text.slice(0, '2026-01-01T00:00:00'.length))
  return new Date(Number.isNaN(ms) ? 0 : ms).toISOString()
}

interface Part {
  readonly id: string
  readonly format: SessionFile['formats'][number]
  readonly reader: FileReader
  readonly updatedAt: string
}

async function summarize(
  path: string,
  { id, format, reader, updatedAt }: Part,
): Promise<SessionSummary | undefined> {
  const stored = format.storage.readStored?.(path, reader)
  if (!stored) return undefined
  const source = await sourceOf(format.name)
  const entries = [...joinTranscripts(stored.transcripts, format.transcripts)]
  const { state } = foldEntries(source, source.open(), entries).session
  const { cwd, program, model, costUsd } = state.session
  return omitUndefined({
    ...{ id, cwd, costUsd, startedAt: localTime(id), updatedAt, path, format: format.name, program, model },
    firstPrompt: firstPromptOf(state),
    ...tokensOf(state),
    agents: 0,
  })
}

/** A session that is found. Its content is read later, and once. */
export interface Candidate {
  readonly path: string
  /** The argument for `readSession`: the path, or the place of the session in the database. */
  readonly key: string
  /** Of a file. */
  readonly stats?: Stats
  /** The name of the file without its ending, or the id in the database. Many files have the id in their name. */
  readonly name: string
  /** Whether the format keeps several files of a session. */
  readonly hasFurtherFiles: boolean
  /** Returns the time of the last change. */
  readonly updatedAt: () => Promise<string>
  readonly summarize: (onWhole?: SummaryOptions['onWhole']) => Promise<SessionSummary | undefined>
  /** Whether the summary may have that text: ASCII that no program escapes in JSON. It parses nothing. */
  readonly mayHave: (text: string) => Promise<boolean>
}
