import type { ConversationBlock } from 'agentfold'
import { toolResultBlockId } from 'agentfold/source-kit'
import { isPrompt } from '../../core/state/block.ts'
import { toolKind } from '../../programs/tool-kind.ts'
import { isHousekeeping } from './filter.ts'

/** The blocks of a conversation as the page groups them. */
export type ShapePart =
  | {
      readonly type: 'block'
      readonly blockId: string
      /** The agent that the block stands for. */
      readonly agentId?: string
      readonly isPrompt?: true
    }
  | { readonly type: 'run'; readonly blockIds: readonly string[] }

type Blocks = readonly ConversationBlock[]

/** So many calls after each other become one line. */
const RUN_LENGTH = 4

/** So many notes of the program after each other become one line. */
const NOTES_LENGTH = 2

/** Groups the blocks of one conversation. As long as no block appears, disappears or ends, it returns the same list. */
export class ConversationShape {
  #blocks: Blocks = []
  #isOver = false
  #parts: readonly ShapePart[] = []
  /** The first of the last calls, which stay visible. */
  #firstVisible: string | undefined

  /** Without `mayFold`, what is visible stays so: somebody reads it. */
  update(blocks: Blocks, isOver: boolean, mayFold = true): readonly ShapePart[] {
    const isSame =
      isOver === this.#isOver &&
      blocks.length === this.#blocks.length &&
      blocks.every((block, at) => hasSameShape(block, this.#blocks[at]))
    if (!isSame) this.#parts = this.#partsOf(blocks, isOver, mayFold)
    this.#blocks = blocks
    this.#isOver = isOver
    return this.#parts
  }

  #partsOf(blocks: Blocks, isOver: boolean, mayFold: boolean): readonly ShapePart[] {
    const calls = new Set(blocks.flatMap((block) => (block.type === 'tool_use' ? block.toolUseId : [])))
    const shown = blocks.filter((block) => !isPartOfCall(block, calls))
    // The last calls of an agent that works stay visible, whether one of them runs or not: they would close and open with each call.
    const lastCalls = isOver ? shown.length : startOfLastCalls(shown)
    const held = mayFold ? -1 : shown.findIndex(({ id }) => id === this.#firstVisible)
    const firstVisible = held < 0 ? lastCalls : Math.min(held, lastCalls)
    this.#firstVisible = shown[firstVisible]?.id
    return partsOf(shown, firstVisible)
  }
}

function hasSameShape(block: ConversationBlock, before: ConversationBlock | undefined): boolean {
  return (
    block === before ||
    (block.id === before?.id && block.type === before.type && block.status === before.status)
  )
}

/** Calls from that place on are in no run. */
function partsOf(shown: Blocks, firstVisible: number): readonly ShapePart[] {
  const parts: ShapePart[] = []
  for (let at = 0; at < shown.length; ) {
    const end = Math.max(endOfRun(shown, at), endOfNotes(shown, at))
    const run = shown.slice(at, end)
    const calls = run.filter(({ type }) => type === 'tool_use').length
    if (calls === 0 ? run.length >= NOTES_LENGTH : calls >= RUN_LENGTH && at < firstVisible)
      parts.push({ type: 'run', blockIds: run.map(({ id }) => id) })
    else parts.push(...shown.slice(at, Math.max(end, at + 1)).map(blockPart))
    at = Math.max(end, at + 1)
  }
  return parts
}

/** Whether the block of a call shows this block: its result, or a request about it. */
function isPartOfCall(block: ConversationBlock, calls: ReadonlySet<string>): boolean {
  if (block.type === 'request') return block.toolUseId !== undefined && calls.has(block.toolUseId)
  return (
    block.type === 'tool_result' &&
    calls.has(block.toolUseId) &&
    block.id === toolResultBlockId(block.toolUseId)
  )
}

/** Returns the place after the run of calls that begins here. Thoughts between two calls are part of it. */
function endOfRun(shown: Blocks, start: number): number {
  let end = start
  for (let at = start; at < shown.length; at += 1) {
    const block = shown[at]
    if (block && isQuiet(block)) end = at + 1
    else if (block?.type !== 'thinking' || end === start) break
  }
  return end
}

function endOfNotes(shown: Blocks, start: number): number {
  let end = start
  for (let block = shown[end]; block && isHousekeeping(block); block = shown[end]) end += 1
  return end
}

/** Returns the place of the first call after which only such calls and thoughts come. */
function startOfLastCalls(shown: Blocks): number {
  return shown.findLastIndex((block) => block.type !== 'thinking' && !isQuietCall(block)) + 1
}

/** Whether the block is a call that is over, and whose result is not what the reader looks for. */
function isQuiet(block: ConversationBlock): boolean {
  return isQuietCall(block) && block.status !== 'pending'
}

function isQuietCall(block: ConversationBlock): boolean {
  if (block.type !== 'tool_use') return false
  const kind = toolKind(block.toolName)
  return kind !== 'edit' && kind !== 'plan'
}

function blockPart(block: ConversationBlock): ShapePart {
  const { id: blockId } = block
  if (block.type === 'subagent') return { type: 'block', blockId, agentId: block.toolUseId }
  return isPrompt(block) ? { type: 'block', blockId, isPrompt: true } : { type: 'block', blockId }
}
