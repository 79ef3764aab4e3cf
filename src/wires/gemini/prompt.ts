import { isEqual } from '../../core/json/equal.ts'
import { omitUndefined } from '../../core/json/fields.ts'
import { timeInMs } from '../../core/json/lists.ts'
import type { ConversationBlock, UserMessageBlock } from '../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../core/state/content.ts'
import { numberedId } from '../../core/state/numbered-id.ts'
import { MAIN } from '../../core/state/session.ts'
import { type Part, textIn } from '../../programs/gemini/parts.ts'
import { agentPromptIn } from '../../programs/gemini/tool-result.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { endAbandonedTurn } from '../kit/abandon.ts'
import { compactionBlocks } from '../kit/blocks.ts'
import { showChild } from './agents.ts'
import { answerOpenCalls } from './calls.ts'
import type { StoredMessage } from './messages.ts'
import type { GeminiContext } from './notes.ts'
import { lastTime, type Thread, takePromptId, threadOf } from './thread.ts'

const CONTEXT = '<session_context>'
const SNAPSHOT = '<state_snapshot>'

/** The beginnings of messages that the program writes in the person's place. */
const ORIGINS: readonly (readonly [RegExp, NonNullable<UserMessageBlock['origin']>])[] = [
  [/^I ran the following shell command:\n/, 'command'],
  [/^<hook_context>/, 'meta'],
  [/^System: /, 'meta'],
  [/^You have stopped calling tools without finishing/, 'meta'],
]

/** Whether the message is the summary of a compaction. */
export function isSnapshot({ role, parts }: StoredMessage): boolean {
  return role === 'user' && textIn(parts).trimStart().startsWith(SNAPSHOT)
}

/** Translates a message that a file has under the person's name. */
export function translateUser(of: Thread, message: StoredMessage, context: GeminiContext): void {
  const { id, time, typed, isForModel } = message
  answerOpenCalls(of, message, context)
  const parts = message.parts.filter((part) => !isContext(part))
  const isHistory = isForModel && parts.length > 0 && parts.length < message.parts.length
  if (isHistory && of.key === MAIN && context.state.blocksOf(MAIN).length > 0)
    context.notes.remember({ isRewriting: true })
  const content = contentOf(typed ?? withoutResults(parts))
  if (content === undefined) return noteResults(of, message, context)
  const text = textIn(parts)
  const origin = ORIGINS.find(([beginning]) => beginning.test(text))?.[1]
  if (isSnapshot(message)) showCompaction(of, message, context)
  else if (origin === undefined) showPrompt(of, { id, time, content: withoutFrame(of, content) }, context)
  else if (!context.state.findBlock(of.conversationId, id)) {
    const block = { type: 'user_message', id, status: 'complete', content, origin, timestamp: time } as const
    if (of.key === MAIN && text.startsWith('System: ')) context.turn.noteWork(time)
    context.upsert(of.conversationId, block)
  }
}

function isContext(part: Part): boolean {
  return part.type === 'text' && part.text.startsWith(CONTEXT)
}

/** The images of a message with results are those of the results. */
function withoutResults(parts: readonly Part[]): readonly Part[] {
  return parts.some(({ type }) => type === 'response') ? parts.filter(({ type }) => type !== 'data') : parts
}

function contentOf(parts: readonly Part[]): UserMessageBlock['content'] | undefined {
  const content = parts.flatMap((part): readonly UserContentPart[] => {
    if (part.type === 'data') return [part.content]
    return part.type === 'text' ? [{ type: 'text', text: part.text }] : []
  })
  return userContent(content)
}

/** The prompt of an agent has words around it. */
function withoutFrame({ key }: Thread, content: UserMessageBlock['content']): UserMessageBlock['content'] {
  return key !== MAIN && typeof content === 'string' ? agentPromptIn(content) : content
}

/** Results go to the model, so it has not answered: a refused call has no block. */
function noteResults({ key }: Thread, { id, time = '', parts }: StoredMessage, context: GeminiContext): void {
  const last = context.state.blocksOf(MAIN).at(-1)
  if (key === MAIN && last && parts.length > 0 && context.notes.values.resultMessages.get(id) === undefined)
    context.notes.setEntry('resultMessages', id, last.id)
  const isNew = parts.length > 0 && time >= (lastTime(context.state) ?? '')
  if (key === MAIN && isNew && context.turn.isOpen()) context.turn.start()
}

/** A message of the person, or the task of an agent. */
interface Prompt {
  readonly id: string
  readonly time: string | undefined
  readonly content: UserMessageBlock['content']
}

function showPrompt(of: Thread, prompt: Prompt, context: GeminiContext): void {
  const { id, time, content } = prompt
  const isMain = of.key === MAIN
  const known = context.notes.values.prompts.get(id)
  if (known !== undefined) return context.notes.setEntry('places', of.key, { id: known })
  if (isMain && context.notes.values.isRewriting) return namePrompts([prompt], context)
  if (!isMain) showChild(of.key, { prompt: typeof content === 'string' ? content : '', time }, context)
  const thread = threadOf(isMain ? undefined : of.key, context.state)
  const unnamed = findPrompt(thread, { content, after: time, isUnnamed: true }, context)
  const blockId = unnamed ?? takePromptId(thread, context.notes)
  context.notes.setEntry('prompts', id, blockId)
  context.notes.setEntry('places', of.key, { id: blockId })
  if (unnamed !== undefined)
    return context.notes.removeEntry('unnamedPrompts', context.notes.keyOf(of.key, blockId))
  if (isMain) beginTurn(time, context)
  context.upsert(thread.conversationId, promptBlock(blockId, prompt))
}

/** Begins main's turn with a prompt, which ends everything that an earlier process has left. */
export function beginTurn(time: string | undefined, context: GeminiContext): void {
  endAbandonedTurn(time, context)
  context.turn.begin(time)
}

/** Returns the block of a prompt. */
export function promptBlock(id: string, { content, time }: Omit<Prompt, 'id'>) {
  const block = { type: 'user_message', id, status: 'complete', content, timestamp: time } as const
  return omitUndefined(block)
}

/** In ms. The program writes a prompt to its file some time after the stream. */
const DELAY = 10_000

interface SoughtPrompt {
  readonly content: UserMessageBlock['content']
  /** The prompt is at most this old, or else at most this young. */
  readonly after?: string | undefined
  readonly before?: string | undefined
  readonly isUnnamed: boolean
}

/** Returns the block of a prompt that the other form of the session has shown. */
export function findPrompt(
  thread: Thread,
  { content, after, before, isUnnamed }: SoughtPrompt,
  memory: Memory<GeminiContext>,
): string | undefined {
  const { key, conversationId } = thread
  if (isUnnamed && memory.notes.values.unnamedPrompts.isEmpty) return undefined
  const time = timeInMs(after ?? before)
  for (let number = promptCount(thread, memory) - 1; number >= 0; number -= 1) {
    const id = numberedId(number)
    const known = memory.state.findBlock(conversationId, id) ?? abandonedBlock(id, memory.state)
    if (known?.type !== 'user_message') continue
    const delay = (time - timeInMs(known.timestamp)) * (after === undefined ? -1 : 1)
    if (after !== undefined ? delay > DELAY : delay < 0) return undefined
    const isFree = !isUnnamed || memory.notes.values.unnamedPrompts.get(memory.notes.keyOf(key, id))
    if (isFree && !(delay < 0) && !(delay > DELAY) && isEqual(known.content, content)) return id
  }
  return undefined
}

/** Returns how many prompts a thread has had. A damaged save may have any number, and each prompt is a block. */
function promptCount({ key, conversationId }: Thread, memory: Memory<GeminiContext>): number {
  const threads = [{ blocks: memory.state.blocksOf(conversationId) }, ...memory.state.branches]
  const most = threads.reduce((sum, { blocks }) => sum + blocks.length, 0)
  return Math.min(most, memory.notes.values.promptCounts.get(key) ?? 0)
}

function abandonedBlock(id: string, { branches }: SessionLookups): ConversationBlock | undefined {
  return branches.flatMap(({ blocks }) => blocks).find((block) => block.id === id)
}

/** Gives further ids to main's prompts: the program writes its history with new ones. */
export function namePrompts(
  prompts: readonly Pick<Prompt, 'id' | 'content'>[],
  memory: Memory<GeminiContext>,
): void {
  const unknown = prompts.filter(({ id }) => memory.notes.values.prompts.get(id) === undefined)
  if (unknown.length === 0) return
  const ids = new Map<string, string>()
  for (let number = promptCount({ key: MAIN, conversationId: MAIN }, memory) - 1; number >= 0; number -= 1) {
    const block = memory.state.findBlock(MAIN, numberedId(number))
    const key = block?.type === 'user_message' ? JSON.stringify(block.content) : ''
    if (block && !ids.has(key)) ids.set(key, block.id)
  }
  for (const { id, content } of unknown) {
    const known = ids.get(JSON.stringify(content))
    if (known !== undefined) memory.notes.setEntry('prompts', id, known)
  }
}

/** Returns the prompts among the messages of a history. */
export function promptsIn(messages: readonly StoredMessage[]): readonly Pick<Prompt, 'id' | 'content'>[] {
  return messages.flatMap(({ id, role, parts }) => {
    const content = role === 'user' ? contentOf(parts.filter((part) => !isContext(part))) : undefined
    return content === undefined ? [] : [{ id, content }]
  })
}

/** Shows a compaction with its summary. */
export function showCompaction(
  { conversationId }: Thread,
  { id, parts, time: timestamp }: StoredMessage,
  output: SessionOutput,
): void {
  if (output.state.findBlock(conversationId, id)) return
  const summary = { summary: textIn(parts), summaryId: id }
  for (const block of compactionBlocks({ id: `${id}:compaction`, ...summary, timestamp }))
    output.upsert(conversationId, block)
}
