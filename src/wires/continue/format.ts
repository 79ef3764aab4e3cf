import { omitUndefined } from '../../core/json/fields.ts'
import { asFiniteNumber, asObject, asString, isObject } from '../../core/json/values.ts'
import type { StoredFacts } from '../../programs/program.ts'
import { onlySession } from '../../reading/input/combined.ts'
import type { TranscriptRules } from '../../reading/input/transcripts.ts'
import type { Format } from '../format.ts'
import { folderOf, isOutput, isSession } from './read.ts'

// A session is one value: `sessions/<id>.json`. `sessions.json` beside it has the titles of all of them.

const FILE =
  /(?:^|[\\/])[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\.json$|[\\/]\.continue[\\/]sessions[\\/](?!sessions\.json$)[^\\/]+\.json$/i

function factsOf(value: unknown): StoredFacts {
  if (!isObject(value) || typeof value.sessionId !== 'string' || !Array.isArray(value.history)) return {}
  const { sessionId: id, title, workspaceDirectory, usage } = value
  return omitUndefined({
    id,
    title: title === 'Untitled Session' || title === 'New Session' ? undefined : asString(title),
    cwd: folderOf(workspaceDirectory),
    costUsd: asFiniteNumber(asObject(usage).totalCost) || undefined,
  })
}

/** How the files of a session become one stream of messages. */
export const continueRules: TranscriptRules = { timeOf: () => undefined }

/** Continue: the output of its command line, and the files under `sessions/`. */
export const continueFormat: Format<'continue'> = {
  name: 'continue',
  inputs: 'Continue (cn -p --format json, or a <session>.json)',
  isDocument: isSession,
  isMessage: isOutput,
  transcripts: continueRules,
  files: {
    isSession: (path) => FILE.test(path),
    isPart: (path) => FILE.test(path),
    agentFiles: () => undefined,
    transcripts: (paths, _reader, sessionPath) => [
      {
        path:
          sessionPath ??
          onlySession(
            paths.filter((path) => FILE.test(path)),
            'a <session>.json',
          ),
      },
    ],
  },
  storage: { facts: factsOf, hasFilesWithoutPrompt: true },
}
