import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CombinedTranscript } from '../../src/entries/source-kit.ts'
import { combineFiles } from '../../src/reading/input/transcript-files.ts'
import { acpFiles } from '../../src/wires/acp/format.ts'

export const FOLDER: string = join(import.meta.dirname, '../../fixtures/grok')

/** A recorded session: its files, and the logs of the connections. */
export interface GrokRecording {
  readonly name: string
  readonly logs: readonly string[]
  readonly stored: CombinedTranscript
}

/**
 * Sessions with agents, a rewind, an interruption and a retry. The copied agent of `23-resume-from` has the calls of its source, with the same ids, and
 * the updates of `toSessionUpdates` cannot show a call twice.
 */
export const recordings: readonly GrokRecording[] = [
  '06c-subagent-acp',
  '08c-nested-acp',
  '09c-background-acp',
  '12d-cancel-subagent',
  '14c-retry-acp',
  '15e-rewind',
].map((name) => ({
  name,
  logs: textsOf(name, 'rpc'),
  stored: combineFiles(filesOf(name), acpFiles.transcripts),
}))

/** The lines of `streaming-json` by the names of their recordings. */
export const streams: readonly (readonly [name: string, text: string])[] = readdirSync(FOLDER).flatMap(
  (name) => {
    const text = textsOf(name, 'stream').join('')
    return text === '' ? [] : [[name, text]]
  },
)

/** Returns the files of that kind in a recording, one for each process. */
function textsOf(name: string, kind: 'rpc' | 'stream'): readonly string[] {
  const names = readdirSync(join(FOLDER, name)).filter((file) => file.startsWith(kind))
  return names.sort().map((file) => readFileSync(join(FOLDER, name, file), 'utf8'))
}

function filesOf(name: string): Readonly<Record<string, string>> {
  const paths = readdirSync(join(FOLDER, name), { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => acpFiles.isPart(path))
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(FOLDER, name, path), 'utf8')]))
}
