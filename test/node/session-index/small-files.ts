import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A recorded file of a program, and its place below a home folder. */
interface RecordedFile {
  readonly path: string
  readonly text: string
}

const FIXTURES = fileURLToPath(new URL('../../../fixtures/', import.meta.url))

/** The recordings with agents in files of their own, and where their programs keep them. */
const FOLDERS = [
  ['codex/09-subagent-v1/sessions', '.codex/sessions'],
  ['codex/0.104.0-18-resume/sessions', '.codex/sessions'],
  ['gemini', '.gemini/tmp'],
  ['pi', '.pi/agent/sessions'],
] as const

let found: readonly RecordedFile[] | undefined

/** Returns small recorded files. */
export function inputs(): readonly RecordedFile[] {
  found ??= FOLDERS.flatMap(([folder, place]) =>
    readdirSync(join(FIXTURES, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => path.includes('/sessions/') || path.includes('/tmp/'))
      .slice(0, 6)
      .map((path) => ({ path: join(place, belowStorage(path)), text: readFileSync(path, 'utf8') }))
      .filter(({ text }) => text.length < 40_000),
  )
  return found
}

function belowStorage(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/sessions/') + 10, path.lastIndexOf('/tmp/') + 5))
}
