import { asFiniteNumber, isObject } from '../../../json/values.ts'
import { type CombinedTranscript, severalSessions, TranscriptError } from '../../../session/input/combined.ts'
import { valuesIn } from '../../../session/input/jsonl.ts'
import type { FileReader } from '../../format.ts'
import { type RolloutHead, readHead } from './rollout-file.ts'

/**
 * Bundles a session's rollouts, by path, into one transcript. A fork or a revert may go on from another file: the transcript has that file's
 * lines up to there. Throws a `TranscriptError` if there is no session, or if there are several.
 */
export function codexTranscript(files: Readonly<Record<string, string>>): CombinedTranscript {
  const heads = Object.entries(files).flatMap(([path, text]) => readHead(path, valuesIn(text)) ?? [])
  if (heads.length === 0) {
    const [only, ...others] = Object.values(files)
    if (only !== undefined && others.length === 0) return { main: only, subagents: [] }
    throw new TranscriptError('no-session', 'no session among the files: a rollout-*.jsonl is needed')
  }
  const main = mainOf(heads)
  const textOf = ({ path }: RolloutHead) => files[path] ?? ''
  const text = withBases(main, heads, textOf)
  const agents = agentsOf(main, heads, () => text)
  return { main: text, subagents: agents.map((agent) => ({ id: agent.id, transcript: textOf(agent) })) }
}

/** Returns the paths of the session's own file, of the files that it goes on from, and of its agents' files. */
export function selectCodexFiles(
  paths: readonly string[],
  reader: FileReader,
  sessionPath?: string,
): readonly string[] {
  const heads = paths.flatMap((path) => readHead(path, reader.values(path)) ?? [])
  const own = heads.find(({ path }) => path === sessionPath)
  if (sessionPath !== undefined && !own) return [sessionPath]
  if (heads.length === 0) return paths
  const main = own ?? mainOf(heads)
  const textOf = ({ path }: RolloutHead) =>
    Array.from(reader.values(path), (value) => JSON.stringify(value)).join('\n')
  const agents = agentsOf(main, heads, () => withBases(main, heads, textOf))
  return [main, ...basesOf(main, heads), ...agents].map(({ path }) => path)
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
function goesOnFrom({ forkedFromId, path }: RolloutHead, base: RolloutHead): boolean {
  return forkedFromId === base.id && path !== base.path
}

/** Returns the files that the file goes on from, the nearest first. */
function basesOf(head: RolloutHead, heads: readonly RolloutHead[]): readonly RolloutHead[] {
  const bases: RolloutHead[] = []
  for (let current: RolloutHead | undefined = head; current?.base; ) {
    const { threadId }: { threadId: string } = current.base
    const base: RolloutHead | undefined = heads.find(
      (each) => each.id === threadId && each !== head && !bases.includes(each),
    )
    if (base) bases.push(base)
    current = base
  }
  return bases
}

/**
 * Returns the agents at all depths. The head of an agent's file names its parent, or the root of the session. A file that goes on from
 * another one has the agents that its `text` names: the other file may have started more of them later.
 */
function agentsOf(
  main: RolloutHead,
  heads: readonly RolloutHead[],
  text: () => string,
): readonly RolloutHead[] {
  const earlier = [main.forkedFromId, ...basesOf(main, heads).map(({ id }) => id)]
  const threads = new Set([main.id, ...earlier.filter((id) => id !== undefined)])
  const whole = main.forkedFromId === undefined ? undefined : text()
  const isStarted = ({ id, parentId = '' }: RolloutHead) =>
    whole === undefined || !threads.has(parentId) || whole.includes(id)
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

/** Returns the lines of the file, after those of the files that it goes on from. */
function withBases(
  head: RolloutHead,
  heads: readonly RolloutHead[],
  textOf: (head: RolloutHead) => string,
): string {
  let text = textOf(head)
  let current = head
  for (const base of basesOf(head, heads)) {
    text = `${linesBefore(textOf(base), current.base?.end ?? 0)}\n${text}`
    current = base
  }
  return text
}

/** Returns the lines with a lower number. */
function linesBefore(text: string, end: number): string {
  return text
    .split('\n')
    .filter((line) => {
      const [value] = valuesIn(line)
      const ordinal = isObject(value) ? asFiniteNumber(value.ordinal) : undefined
      return ordinal !== undefined && ordinal < end
    })
    .join('\n')
}
