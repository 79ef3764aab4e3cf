import { omitUndefined } from '../../core/json/fields.ts'
import { asString, type JsonObject } from '../../core/json/values.ts'
import { type ConversationBlock, isModelText, isRewindMark, REWIND } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { abandonFrom } from '../kit/abandon.ts'
import { textOf } from './messages.ts'
import type { PiContext } from './notes.ts'

// A file is a tree: each entry names the one above. The conversation is the path from the last entry up. A person who
// goes back writes nothing until the next entry, which hangs on an earlier one. Then the entries below that one are
// an abandoned branch.

/** The entry above the first ones. */
const ROOT = ''

/** Whether the line is an entry of a tree. Version 1 has a plain list. */
export function isEntry({ id, parentId }: JsonObject): boolean {
  return typeof id === 'string' && (typeof parentId === 'string' || parentId === null)
}

/** Translates an entry of main's file at its place in the tree. */
export function translateEntry(raw: JsonObject, translate: () => void, context: PiContext): void {
  const id = asString(raw.id) ?? ROOT
  if (context.notes.values.entries.get(id)) return
  const parent = asString(raw.parentId) ?? ROOT
  // OpenClaw has entries beside the conversation.
  if (raw.appendMode === 'side') return
  const mark = moveTo(parent, id, raw.timestamp, context)
  const { length } = context.state.blocksOf(MAIN)
  translate()
  const added: string[] = []
  for (const block of context.state.blocksFrom(MAIN, length)) added.push(block.id)
  const blocks = mark === undefined ? added : [mark, ...added]
  context.notes.setEntry('entries', id, blocks.length === 0 ? { parent } : { parent, blocks })
  context.notes.remember({ leaf: id })
}

/** Translates an entry of an agent's file. The agent's conversation has all entries. */
export function translateAgentEntry(
  conversationId: string,
  raw: JsonObject,
  translate: () => void,
  memory: Memory<PiContext>,
): void {
  const [id, parent] = [raw.id, raw.parentId].map((each) => entryKey(conversationId, asString(each), memory))
  const { length } = memory.state.blocksOf(conversationId)
  translate()
  const blocks = [...memory.state.blocksFrom(conversationId, length)].map((block) => block.id)
  if (id !== undefined && !memory.notes.values.entries.get(id))
    memory.notes.setEntry(
      'entries',
      id,
      omitUndefined({ parent: parent ?? ROOT, blocks: blocks.length === 0 ? undefined : blocks }),
    )
}

/** Returns the key of an entry's note. The files of agents may have ids of main's file. */
function entryKey(conversationId: string, id: string | undefined, { notes }: Memory<PiContext>): string {
  if (id === undefined) return ROOT
  return conversationId === MAIN ? id : notes.keyOf(conversationId, id)
}

/** Returns the ids of the blocks that an entry of a file has added. */
export function blocksOfEntry(
  conversationId: string,
  id: string,
  memory: Memory<PiContext>,
): readonly string[] {
  return memory.notes.values.entries.get(entryKey(conversationId, id, memory))?.blocks ?? []
}

/** Goes on at an earlier entry, which OpenClaw names. */
export function translateLeaf({ targetId, timestamp }: JsonObject, context: PiContext): void {
  if (typeof targetId !== 'string' || !context.notes.values.entries.get(targetId)) return
  moveTo(targetId, `leaf:${targetId}`, timestamp, context)
  context.notes.remember({ leaf: targetId })
}

/** Makes the path to an entry the conversation. Returns the id of the mark if the person has left a branch. */
function moveTo(target: string, name: string, timestamp: unknown, context: PiContext): string | undefined {
  const { leaf, entries } = context.notes.values
  const isKnown = target === ROOT || entries.get(target) !== undefined
  if (leaf === undefined || target === leaf || !isKnown) return undefined
  const path = pathTo(target, context.notes.values)
  const left = pathTo(leaf, context.notes.values)
  const blocksIn = (ids: Iterable<string>) => [...ids].flatMap((id) => entries.get(id)?.blocks ?? [])
  const gone = new Set(blocksIn([...left].filter((id) => !path.has(id))))
  const back = new Set(blocksIn([...path].filter((id) => !left.has(id))))
  const start = context.state.blocksOf(MAIN).findIndex(({ id }) => gone.has(id))
  const mark = { id: markId(name), timestamp: asString(timestamp) }
  if (start >= 0) abandonFrom(start, mark, context)
  restore(back, context)
  return start < 0 ? undefined : mark.id
}

/** Returns the ids of an entry and of those above it. In a damaged file, entries may hang on each other in a circle. */
function pathTo(id: string, { entries }: PiContext['notes']['values']): ReadonlySet<string> {
  const path = new Set<string>()
  for (let next = id; next !== ROOT && !path.has(next); next = entries.get(next)?.parent ?? ROOT)
    path.add(next)
  return path
}

/**
 * Returns the blocks that a compaction keeps: those of the entries from the first one down to its own. The compaction of a stream has no
 * entry, and stands behind all blocks. Undefined if they are not known.
 */
export function keptBlocks(
  conversationId: string,
  { parentId, firstKeptEntryId }: JsonObject,
  memory: Memory<PiContext>,
): readonly string[] | undefined {
  const first = asString(firstKeptEntryId)
  if (first === undefined) return undefined
  if (parentId === undefined) return blocksSince(conversationId, first, memory)
  const { entries } = memory.notes.values
  const path = [...pathTo(entryKey(conversationId, asString(parentId), memory), memory.notes.values)]
  const kept = path.slice(0, path.indexOf(entryKey(conversationId, first, memory)) + 1).reverse()
  // A state alone has no entries: a part of the kept messages would drop the others from a hand-over.
  if (kept.length === 0 || kept.some((id) => entries.get(id) === undefined)) return undefined
  const ids = kept.flatMap((id) => entries.get(id)?.blocks ?? [])
  return withoutReplaced(conversationId, ids, memory.state)
}

function blocksSince(
  conversationId: string,
  id: string,
  memory: Memory<PiContext>,
): readonly string[] | undefined {
  const [first] = blocksOfEntry(conversationId, id, memory)
  const ids = memory.state.blocksOf(conversationId).map((block) => block.id)
  if (first === undefined || !ids.includes(first)) return undefined
  return withoutReplaced(conversationId, ids.slice(ids.indexOf(first)), memory.state)
}

/** Leaves out what the model no longer has: texts that were taken back, and an earlier compaction, whose summary the later one replaces. */
function withoutReplaced(
  conversationId: string,
  ids: readonly string[],
  state: SessionLookups,
): readonly string[] {
  const blocks = ids.map((id) => state.findBlock(conversationId, id))
  const marks = new Set(ids.filter((_, index) => isCompaction(blocks[index])))
  const isReplaced = (id: string) => marks.has(id) || marks.has(id.replace(/:summary$/, ''))
  return ids.filter((id, index) => !isReplaced(id) && !isTakenBack(blocks[index]))
}

function isTakenBack(block: ConversationBlock | undefined): boolean {
  return isModelText(block) && block.status === 'error'
}

function isCompaction(block: ConversationBlock | undefined): boolean {
  return block?.type === 'system' && block.subtype === 'compaction'
}

function markId(name: string): string {
  return `${REWIND}:${name}`
}

/** Brings blocks of branches back to main. The others of such a branch stay abandoned. */
function restore(back: ReadonlySet<string>, output: SessionOutput): void {
  if (back.size === 0) return
  for (const { id: branchId, blocks } of [...output.state.branches]) {
    if (!blocks.some(({ id }) => back.has(id))) continue
    const mark = output.state.findBlock(MAIN, branchId)
    for (const block of blocks) output.upsert(MAIN, block)
    output.emit({ type: 'block:removed', blockId: branchId })
    const blockIds = blocks.flatMap(({ id }) => (back.has(id) ? [] : [id]))
    if (blockIds.length === 0) continue
    if (mark && isRewindMark(mark)) output.upsert(MAIN, mark)
    output.emit({ type: 'branch:abandoned', branchId, blockIds })
  }
}

/** Leaves the branch from a prompt on: a client of the program goes on in a fork, which has the messages before it. */
export function forkBefore(text: unknown, name: string, output: SessionOutput): void {
  const isPrompt = (block: ConversationBlock) =>
    block.type === 'user_message' && textOf(block.content) === text
  const start = output.state.blocksOf(MAIN).findLastIndex(isPrompt)
  if (start >= 0 && !output.state.findBlock(MAIN, markId(name)))
    abandonFrom(start, { id: markId(name) }, output)
}
