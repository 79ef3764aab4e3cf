import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import type { SessionConversationState } from '../../../src/entries/index.ts'
import type { SessionProgress } from '../../../src/entries/node.ts'
import { loadProgress } from '../../../src/node/follow/progress.ts'
import { loadedSourceOf } from '../../../src/wires/sources.ts'
import type { Recording } from '../../wires/recordings.ts'

/** A write of a program: some bytes at the end of a file. */
export interface Write {
  readonly path: string
  readonly bytes: Uint8Array
}

/** The files of a recorded session, by path, with the session's own path. */
export interface StoredSession {
  readonly path: string
  readonly files: Readonly<Record<string, Uint8Array>>
}

/** Returns the files of a recording by their path in the session's folder. */
export function storedSession({ files, sessionPath }: Recording): StoredSession {
  const folder = dirname(sessionPath)
  const entries = Object.entries(files).map(
    ([path, text]) => [relative(folder, path), Buffer.from(text)] as const,
  )
  return { path: relative(folder, sessionPath), files: Object.fromEntries(entries) }
}

/** Where each file is cut, as parts of its length, and the files of the writes, as numbers. */
export interface WritePlan {
  readonly cuts: readonly (readonly number[])[]
  readonly choices: readonly number[]
}

const PARTS = 10_000

export const writePlans: fc.Arbitrary<WritePlan> = fc.record({
  cuts: fc.array(fc.array(fc.nat({ max: PARTS }), { maxLength: 5 }), { minLength: 10, maxLength: 10 }),
  choices: fc.array(fc.nat({ max: 9 }), { minLength: 60, maxLength: 60 }),
})

/** Cuts files anywhere, also within a character, and mixes the writes. The order within a file stays. */
export function writesOf({ files }: StoredSession, { cuts, choices }: WritePlan): readonly Write[] {
  const queues = Object.entries(files).map(([path, bytes], at) => ({
    path,
    pieces: cutAt(bytes, cuts[at] ?? []),
  }))
  const writes: Write[] = []
  for (let turn = 0; ; turn += 1) {
    const open = queues.filter(({ pieces }) => pieces.length > 0)
    const queue = open[(choices[turn] ?? 0) % open.length]
    const bytes = queue?.pieces.shift()
    if (!queue || !bytes) return writes
    writes.push({ path: queue.path, bytes })
  }
}

function cutAt(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const offsets = cuts.map((cut) => Math.floor((bytes.length * cut) / PARTS))
  const ends = [...new Set([...offsets, bytes.length])].sort((left, right) => left - right)
  return ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end))
}

/** Runs a test in a folder of its own. */
export async function inNewFolder<Value>(run: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), 'agentfold-'))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Appends the bytes of a write. */
export async function append(folder: string, { path, bytes }: Write): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await appendFile(join(folder, path), bytes)
}

/** Writes all files of a session and returns the path of its own file. */
export async function writeSession(folder: string, { path, files }: StoredSession): Promise<string> {
  for (const [each, bytes] of Object.entries(files)) {
    await mkdir(dirname(join(folder, each)), { recursive: true })
    await writeFile(join(folder, each), bytes)
  }
  return join(folder, path)
}

/** Returns the state as `readSession` gives it: the end of the input ends what still runs. */
export async function endedState(
  progress: SessionProgress | undefined,
): Promise<SessionConversationState | undefined> {
  const loaded = await loadProgress(JSON.parse(JSON.stringify(progress ?? null)))
  if (!loaded) return undefined
  const source = loadedSourceOf(loaded.architecture)
  return source.end(loaded.session).session.state
}
