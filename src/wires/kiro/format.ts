import { omitUndefined } from '../../core/json/fields.ts'
import { asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { TranscriptFiles } from '../../reading/input/transcript-files.ts'
import type { Format } from '../format.ts'
import { isFacts, isKiroLine, timeOfLine } from './read.ts'

const UUID = /(?:^|[\\/])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.jsonl$/i
const FACTS = /(?:^|[\\/])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.json$/i

/** Returns the file's own lines after the facts beside it. */
function kiroFiles(
  paths: readonly string[],
  _reader: unknown,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  const path =
    sessionPath ??
    onlySession(
      paths.filter((each) => UUID.test(each)),
      'a <session>.jsonl',
    )
  const facts = factsPath(path)
  return [{ path, ...(paths.includes(facts) && { bases: [{ path: facts, includes: isObject }] }) }]
}

function factsPath(path: string): string {
  return path.replace(/\.jsonl$/i, '.json')
}

function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || !isFacts(value)) return {}
  const { session_id: id, title, cwd, created_at: startedAt, updated_at: updatedAt } = value
  return omitUndefined({
    id: asString(id),
    title: asString(title),
    cwd: asString(cwd),
    startedAt: asString(startedAt),
    updatedAt: asString(updatedAt),
  })
}

/** Kiro CLI: the files under `sessions/cli/`. */
export const kiroFormat: Format<'kiro'> = {
  name: 'kiro',
  inputs: 'Kiro CLI (a <session>.jsonl: its facts are found beside it)',
  isDocument: () => false,
  isMessage: isKiroLine,
  transcripts: { timeOf: timeOfLine },
  files: {
    isSession: (path) => UUID.test(path),
    isPart: (path) => UUID.test(path) || FACTS.test(path),
    agentFiles: (path) => ({ isBeside: (name) => factsPath(path).endsWith(name) }),
    transcripts: kiroFiles,
  },
  storage: { facts: factsOf, factsPath },
}
