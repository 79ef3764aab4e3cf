import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CombinedTranscript } from '../../src/index.ts'
import { combineFiles } from '../../src/session/input/transcript-files.ts'
import { acpFiles } from '../../src/wires/acp/files.ts'

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
].map((name) => ({ name, logs: logsOf(name), stored: combineFiles(filesOf(name), acpFiles.transcripts) }))

/** Returns the logs of a recording's connections. */
export function logsOf(name: string): readonly string[] {
  const names = readdirSync(join(FOLDER, name)).filter((file) => file.endsWith('.ndjson'))
  return names.sort().map((file) => readFileSync(join(FOLDER, name, file), 'utf8'))
}

function filesOf(name: string): Readonly<Record<string, string>> {
  const paths = readdirSync(join(FOLDER, name), { recursive: true, encoding: 'utf8' })
  const files = paths.filter((path) => acpFiles.isPart(path))
  return Object.fromEntries(files.map((path) => [path, readFileSync(join(FOLDER, name, path), 'utf8')]))
}
