import { compareStrings } from '../../core/json/lists.ts'
import { asFiniteNumber, asObject, asString, isObject } from '../../core/json/values.ts'
import { type CombinedTranscript, severalSessions, TranscriptError } from '../../reading/input/combined.ts'

import {
  combineFiles,
  type FileReader,
  type TranscriptBase,
  type TranscriptFiles,
} from '../../reading/input/transcript-files.ts'
import { threadOrigin } from './events/rollout.ts'

/**
 * Bundles a session's rollouts, by path, into one transcript. A fork or a revert may go on from another file: the
 * transcript has that file's lines up to there. Throws a `TranscriptError` if there is no session, or if there are
 * several.
 */
export function codexTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  return combineFiles(files, codexFiles)
}

/** Returns the session's own file with the files that it goes on from, and its agents' files. */
export function codexFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly [TranscriptFiles, ...TranscriptFiles[]] {
  // While a file is compressed, both may be there.
  const heads = paths
    .filter((path) => !paths.includes(path.replace(/\.zst$/, '')) || !path.endsWith('.zst'))
    .flatMap((path) => readHead(path, reader.values(path)) ?? [])
  const own = heads.find(({ path }) => path === sessionPath)
  const only = sessionPath ?? (paths.length === 1 ? paths[0] : undefined)
  if (only !== undefined && (!own || heads.length === 0)) return [{ path: only }]
  if (heads.length === 0)
    throw new TranscriptError('no-session', 'no session among the files: a rollout-*.jsonl is needed')
  const main = own ?? mainOf(heads)
  const bases = basesOf(main, heads)
  const files = { path: main.path, ...(bases.length > 0 && { bases: bases.map(baseFile) }) }
  const agents = agentsOf(main, { heads, bases, lines: linesOf(files, reader) })
  return [files, ...agents.map(({ id, path }) => ({ id, path }))]
}

/** Returns the session's own file: no agent's file, and none that another one goes on from. */
function mainOf(heads: readonly RolloutHead[]): RolloutHead {
  const ids = new Set(heads.map(({ id }) => id))
  const roots = heads.filter(({ parentId }) => parentId === undefined || !ids.has(parentId))
  const last = roots.filter((root) => !roots.some((other) => other !== root && goesOnFrom(other, root)))
  const [main, ...others] = last
  if (main === undefined || others.length > 0) throw severalSessions(last.map(({ path }) => path))
  return main
}

/** Whether a file goes on from another one. After a revert, both have the same thread. */
function goesOnFrom({ id, forkedFromId, path }: RolloutHead, base: RolloutHead): boolean {
  return forkedFromId === base.id && (id === base.id ? path > base.path : path !== base.path)
}

interface Base {
  readonly head: RolloutHead
  /** The number of its first line that does not belong to the session. */
  readonly end: number
}

/**
 * Returns the files that the file goes on from, the oldest first. After a revert, all lines of the thread's earlier
 * files belong to the session: those that are not kept are an abandoned branch.
 */
function basesOf(main: RolloutHead, heads: readonly RolloutHead[]): readonly Base[] {
  const own = heads.filter((head) => head.id === main.id && head.path < main.path)
  const bases: Base[] = [...own].sort(byPath).map((head) => ({ head, end: Number.POSITIVE_INFINITY }))
  for (
    let current = bases[0]?.head ?? main;
    current.base && !(current.id === main.id && current.base.threadId === main.id);
  ) {
    const { threadId, end } = current.base
    const isKnown = (each: RolloutHead) => each === main || bases.some(({ head }) => head === each)
    const head = lastOf(
      heads.filter((each) => (each.id === threadId || each.segmentId === threadId) && !isKnown(each)),
      end,
    )
    if (!head) break
    bases.unshift({ head, end })
    current = head
  }
  return bases
}

function byPath(left: RolloutHead, right: RolloutHead): number {
  return compareStrings(left.path, right.path)
}

/** Returns the last of a thread's files that begins before that line. */
function lastOf(files: readonly RolloutHead[], end: number): RolloutHead | undefined {
  return [...files].sort(byPath).findLast(({ base }) => base === undefined || base.end < end)
}

function baseFile({ head, end }: Base): TranscriptBase {
  return {
    path: head.path,
    includes(message) {
      const ordinal = isObject(message) ? asFiniteNumber(message.ordinal) : undefined
      return ordinal !== undefined && ordinal < end
    },
  }
}

/**
 * Returns the agents at all depths. The head of an agent's file names its parent, or the root of the session. A file
 * that goes on from another one has the agents that its lines name: the other file may have started more of them
 * later.
 */
function agentsOf(
  main: RolloutHead,
  {
    heads,
    bases,
    lines,
  }: { heads: readonly RolloutHead[]; bases: readonly Base[]; lines: Iterable<unknown> },
): readonly RolloutHead[] {
  const earlier = [main.forkedFromId, ...bases.map(({ head }) => head.id)]
  const threads = new Set([main.id, ...earlier.filter((id) => id !== undefined)])
  if (main.forkedFromId === undefined) return descendantsOf(main, heads, threads)
  const text = Array.from(lines, (line) => JSON.stringify(line)).join('\n')
  const isStarted = ({ id, parentId = '' }: RolloutHead) => !threads.has(parentId) || text.includes(id)
  return descendantsOf(main, heads.filter(isStarted), threads)
}

function descendantsOf(
  main: RolloutHead,
  heads: readonly RolloutHead[],
  threads: ReadonlySet<string>,
): readonly RolloutHead[] {
  const family = new Set(threads)
  const found: RolloutHead[] = []
  for (let size = -1; size !== family.size; ) {
    size = family.size
    for (const head of heads) {
      if (family.has(head.id) || head.parentId === undefined || !isOf(head, main, family)) continue
      found.push(head)
      family.add(head.id)
    }
  }
  return found
}

function isOf(
  { parentId = '', sessionId }: RolloutHead,
  main: RolloutHead,
  family: ReadonlySet<string>,
): boolean {
  return family.has(parentId) || (main.parentId === undefined && sessionId === main.id)
}

/** Returns the messages of a session's own files, in order. */
function* linesOf({ path, bases = [] }: TranscriptFiles, reader: FileReader): Generator<unknown, void> {
  for (const base of bases) for (const line of reader.values(base.path)) if (base.includes(line)) yield line
  yield* reader.values(path)
}

/** The facts that the head of a rollout states about its thread. */
interface RolloutHead {
  readonly path: string
  readonly id: string
  /** The file of a revert has an id of its own in its name. A fork of the thread goes on from that id. */
  readonly segmentId?: string | undefined
  /** The root thread of the session. */
  readonly sessionId?: string | undefined
  readonly parentId?: string | undefined
  /** The thread that this one goes on from. */
  readonly forkedFromId?: string | undefined
  /** The base of a file that does not repeat the earlier lines. */
  readonly base?: HistoryBase | undefined
}

interface HistoryBase {
  readonly threadId: string
  /** The number of the base's first line that does not belong to the thread. */
  readonly end: number
}

/** A later process compresses a file that nobody has used for some time. */
const NAME = /(?:^|[\\/])rollout-[^\\/]*\.jsonl(?:\.zst)?$/

const SEGMENT = /_([0-9a-f-]{36})\.jsonl(?:\.zst)?$/i

/** Whether a file with that name can be a rollout. */
export function isRolloutName(path: string): boolean {
  return NAME.test(path)
}

/** Returns the head of a rollout from the values of its first lines; undefined if the file is no rollout. */
function readHead(path: string, values: Iterable<unknown>): RolloutHead | undefined {
  for (const value of values) {
    if (!isObject(value) || value.type !== 'session_meta') return undefined
    const meta = asObject(value.payload)
    const id = asString(meta.id)
    const base = asObject(meta.history_base)
    const baseId = asString(base.thread_id)
    if (id === undefined) return undefined
    return {
      path,
      id,
      segmentId: SEGMENT.exec(path)?.[1],
      sessionId: asString(meta.session_id),
      ...threadOrigin(meta),
      base:
        baseId === undefined
          ? undefined
          : { threadId: baseId, end: asFiniteNumber(base.end_ordinal_exclusive) ?? 0 },
    }
  }
  return undefined
}
