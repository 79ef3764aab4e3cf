import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import type { Format } from '../format.ts'
import { clineFiles, indexPath, isPartOfSession, isSessionFile, readStored, timeOfFile } from './files.ts'
import { isIndex, isProof, isStoredFile } from './messages.ts'

/** Cline CLI: the stream, and the folders under `sessions/`. */
export const clineFormat: Format<'cline'> = {
  name: 'cline',
  inputs: "Cline CLI (--json, or a <session>.messages.json: its agents' files are found beside it)",
  isDocument: isStoredFile,
  isMessage: (value) => isObject(value) && isProof(value),
  transcripts: { agentField: 'agentId', timeOf: timeOfFile },
  files: {
    isSession: isSessionFile,
    isPart: isPartOfSession,
    agentFiles: (path) => (isSessionFile(path) ? { isBeside: isPartOfSession } : undefined),
    transcripts: clineFiles,
  },
  storage: { facts: factsOf, factsPath: indexPath, readStored, hasFilesWithoutPrompt: true },
}

/** Returns the facts in the index of a session, or at the head of a file. */
function factsOf(value: unknown): StoredFacts {
  if (!isObject(value)) return {}
  if (isIndex(value)) {
    const { title, totalCost } = asObject(value.metadata)
    return omitUndefined({
      id: value.session_id,
      title: asString(title),
      cwd: asString(value.cwd),
      startedAt: asString(value.started_at),
      costUsd: asFiniteNumber(totalCost) || undefined,
    })
  }
  const { agent, sessionId, origin, updated_at } = value
  if (typeof agent !== 'string' || typeof sessionId !== 'string' || !isObject(origin)) return {}
  return omitUndefined({
    id: sessionId,
    updatedAt: asString(updated_at),
    isSubagent: agent === 'lead' ? undefined : true,
  })
}
