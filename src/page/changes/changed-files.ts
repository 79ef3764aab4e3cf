import { type ConversationBlock, fileChanges, type SessionConversationState } from 'agentfold'
import { addToList } from '../../core/json/lists.ts'
import type { SessionFileChange } from '../../core/selectors/file-changes.ts'
import { memoizeWeakly } from '../../core/selectors/memoize.ts'
import { type DiffHunk, relativePath } from '../../core/state/file-change.ts'
import { timeOf } from '../../sinks/markdown/text/values.ts'
import { joinHunks } from './join-hunks.ts'
import { turnOf } from './turn-of.ts'

/** A change with the time of its call, in ms. */
export interface TimedChange extends SessionFileChange {
  readonly time: number | undefined
}

/** A file with its changes, in the order in which they were made. */
export interface ChangedFile {
  /** From the working folder, if it is in it. */
  readonly path: string
  readonly kind: SessionFileChange['kind']
  readonly changes: readonly TimedChange[]
  /** One diff for all changes. Several if something else has changed the file in between. */
  readonly diffs: readonly (readonly DiffHunk[])[]
  readonly added: number
  readonly removed: number
}

/** Which changes are shown. An absent field allows all. */
export interface ChangesFilter {
  /** `'main'` or the `toolUseId` of an agent. */
  readonly agentId?: string | undefined
  /** The id of the prompt of a turn. */
  readonly promptId?: string | undefined
}

/** Returns the files that the session has changed, in the order of their paths. */
export function changedFiles(
  state: SessionConversationState,
  { agentId, promptId }: ChangesFilter = {},
): readonly ChangedFile[] {
  const files = new Map<string, TimedChange[]>()
  for (const change of fileChanges(state)) {
    if (agentId !== undefined && change.conversationId !== agentId) continue
    if (promptId !== undefined && turnOf(state, change) !== promptId) continue
    addToList(files, relativePath(change.path, state.session.cwd), {
      ...change,
      time: timeOfCall(state, change),
    })
  }
  return [...files]
    .map(([path, changes]) => fileOf(path, inOrder(changes)))
    .sort((left, right) => (left.path < right.path ? -1 : 1))
}

function fileOf(path: string, changes: readonly TimedChange[]): ChangedFile {
  const diffs = joined(changes.flatMap(({ hunks = [] }) => (hunks.length > 0 ? [hunks] : [])))
  const lines = diffs.flatMap((hunks) => hunks.flatMap((hunk) => hunk.lines))
  const hasAllLines = changes.every(({ hunks = [] }) => hunks.length > 0)
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  const sum = (name: 'added' | 'removed') => changes.reduce((total, change) => total + change[name], 0)
  return {
    ...{ path, changes, diffs, kind: kindOf(changes) },
    // Lines that came and went again count in the sum of the calls, and are not in the diff.
    added: hasAllLines ? count('+') : sum('added'),
    removed: hasAllLines ? count('-') : sum('removed'),
  }
}

/** A file that was added and then edited is a new one. */
function kindOf(changes: readonly TimedChange[]): SessionFileChange['kind'] {
  const last = changes.at(-1)?.kind ?? 'edit'
  return last === 'edit' && changes[0]?.kind === 'add' ? 'add' : last
}

/** Joins as many diffs as fit together. */
function joined(diffs: readonly (readonly DiffHunk[])[]): readonly (readonly DiffHunk[])[] {
  const result: (readonly DiffHunk[])[] = []
  for (const diff of diffs) {
    const last = result.at(-1)
    const both = last && joinHunks([last, diff])
    if (both) result[result.length - 1] = both
    else result.push(diff)
  }
  return result
}

/** Agents change files at the same time. Without all times, the order is that of the conversations. */
function inOrder(changes: readonly TimedChange[]): readonly TimedChange[] {
  if (changes.some(({ time }) => time === undefined)) return changes
  return [...changes].sort((left, right) => (left.time ?? 0) - (right.time ?? 0))
}

function timeOfCall(
  { blocks, subagents }: SessionConversationState,
  { conversationId, toolUseId }: SessionFileChange,
): number | undefined {
  const thread = conversationId === 'main' ? blocks : agentBlocks(subagents).get(conversationId)
  return thread && toolUseId !== undefined ? callTimes(thread).get(toolUseId) : undefined
}

const agentBlocks = memoizeWeakly(
  (subagents: SessionConversationState['subagents']) =>
    new Map(subagents.map(({ toolUseId, blocks }) => [toolUseId, blocks])),
)

const callTimes = memoizeWeakly((blocks: readonly ConversationBlock[]) => {
  const times = new Map<string, number>()
  for (const block of blocks) {
    const time = timeOf(block.timestamp)
    if (block.type === 'tool_result' && time !== undefined) times.set(block.toolUseId, time)
  }
  return times
})
