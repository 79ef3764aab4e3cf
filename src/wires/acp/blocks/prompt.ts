import { withChanges } from '../../../core/json/fields.ts'
import type { UserMessageOrigin } from '../../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import type { AcpContext, AcpMemory } from '../context.ts'
import { wordsKey } from './note.ts'

// The client's own request has no id for its prompt, and a replay has the agent's. So the words of a prompt make its
// id, with the number of prompts before it that have the same words. Both sides know these.

/** Returns the key of the words of a prompt. Prompts of one key have different numbers. */
export function promptKey(parts: readonly UserContentPart[]): string {
  return wordsKey(JSON.stringify(parts))
}

function promptId(key: string, number: number): string {
  return `prompt:${key}:${number}`
}

/** Reads the id of a prompt: its key and its number; undefined for any other id. */
export function readPromptId(id: string): { readonly key: string; readonly number: number } | undefined {
  const [, key, number] = /^prompt:([0-9a-z]+):(\d+)$/.exec(id) ?? []
  return key === undefined ? undefined : { key, number: Number(number) }
}

/** Returns the id of the prompt of the turn: the last one, unless an earlier one comes again. */
export function lastPromptId(memory: AcpMemory): string | undefined {
  return memory.notes.values.promptId ?? lastShownId(memory.state)
}

function lastShownId(state: SessionLookups): string | undefined {
  for (const { id } of state.typeFromEnd(MAIN, 'user_message')) if (readPromptId(id)) return id
  return undefined
}

/** Remembers that a prompt of the state comes again. */
function repeatPrompt(id: string, memory: AcpMemory): void {
  memory.notes.remember({ promptId: id === lastShownId(memory.state) ? undefined : id })
}

/** Whether the request is that of the running turn of the state that the source went on from. Its words have the key. */
export function isUnnamedPrompt(key: string, memory: AcpMemory): boolean {
  return (
    memory.notes.values.hasUnnamedPrompt === true && readPromptId(lastPromptId(memory) ?? '')?.key === key
  )
}

/** The prompts with the same words. */
interface Prompts {
  readonly count: number
  readonly seen: number
  readonly resent: number
}

function promptsOf(key: string, memory: AcpMemory): Prompts {
  const { prompts, hasReplay } = memory.notes.values
  const note = prompts.get(key) ?? {}
  const first = promptId(key, 0)
  const isKnown = memory.state.findBlock(MAIN, first) !== undefined || memory.state.isAbandoned(first)
  const { count = isKnown ? 1 : 0, resent = 0 } = note
  return { count, seen: hasReplay ? (note.seen ?? 0) : count, resent }
}

function notePrompts(key: string, { count, seen, resent }: Prompts, notes: AcpContext['notes']): void {
  const note = {
    ...(count > 1 && { count }),
    ...(notes.values.hasReplay && seen > 0 && { seen }),
    ...(resent > 0 && { resent }),
  }
  if (Object.keys(note).length > 0) notes.setEntry('prompts', key, note)
}

/** Shows a prompt of a replay, unless it is known. An agent may repeat the prompt that it has just got. */
export function replayPrompt(parts: readonly UserContentPart[], context: AcpContext): void {
  const { loadId, openPrompts } = context.notes.values
  const key = promptKey(parts)
  if (loadId === undefined && openPrompts !== undefined && isLastPrompt(key, context)) return
  const prompts = promptsOf(key, context)
  if (prompts.seen >= prompts.count) return showNewPrompt(parts, context)
  notePrompts(key, { ...prompts, seen: prompts.seen + 1 }, context.notes)
  const id = promptId(key, prompts.seen)
  // Some agents give their messages no ids. Then the place after the prompt shows that its texts come again.
  if (loadId !== undefined) context.notes.setEntry('joints', MAIN, { place: { blockId: id, position: 0 } })
  repeatPrompt(id, context)
}

function isLastPrompt(key: string, memory: AcpMemory): boolean {
  const { bufferedPrompt } = memory.notes.values
  const last = bufferedPrompt
    ? promptKey(bufferedPrompt.parts)
    : readPromptId(lastPromptId(memory) ?? '')?.key
  return key === last
}

/** Begins a replay, which repeats each prompt. */
export function beginReplay(loadId: string | undefined, memory: AcpMemory): void {
  memory.notes.remember({ loadId, hasReplay: true })
  // A log may have an earlier connection. Its texts come again, from the first one.
  if (memory.state.blocksOf(MAIN).length > 0)
    memory.notes.setEntry('joints', MAIN, {
      ...memory.notes.values.joints.get(MAIN),
      place: { position: 0 },
    })
  for (const [key, { seen, ...note }] of memory.notes.values.prompts.entries())
    if (seen !== undefined) memory.notes.setEntry('prompts', key, note)
}

/** Shows the client's own prompt. If its words are known, the first update of its turn shows whether it is a new one. */
export function showPrompt(
  parts: readonly UserContentPart[],
  requestId: string | undefined,
  context: AcpContext,
): void {
  context.turn.begin()
  if (promptsOf(promptKey(parts), context).count > 0)
    context.notes.remember({ bufferedPrompt: { ...(requestId !== undefined && { id: requestId }), parts } })
  else {
    showNewPrompt(parts, context)
    namePrompt(requestId, context)
  }
}

/** Shows the buffered prompt: its turn is a new one. */
export function showBufferedPrompt(context: AcpContext): void {
  const { bufferedPrompt } = context.notes.values
  if (!bufferedPrompt) return
  context.notes.remember({ bufferedPrompt: undefined })
  showNewPrompt(bufferedPrompt.parts, context)
  namePrompt(bufferedPrompt.id, context)
}

/** Forgets the buffered prompt: its turn is known. */
export function dropBufferedPrompt(memory: AcpMemory): void {
  const { bufferedPrompt } = memory.notes.values
  if (!bufferedPrompt) return
  const key = promptKey(bufferedPrompt.parts)
  const prompts = promptsOf(key, memory)
  notePrompts(key, { ...prompts, resent: prompts.resent + 1 }, memory.notes)
  repeatPrompt(promptId(key, Math.min(prompts.resent, prompts.count - 1)), memory)
  claimBufferedPrompt(memory)
}

/** Makes the buffered prompt the prompt of the turn, which goes on. */
export function claimBufferedPrompt(memory: AcpMemory): void {
  const { bufferedPrompt } = memory.notes.values
  memory.notes.remember({ bufferedPrompt: undefined })
  namePrompt(bufferedPrompt?.id, memory)
}

/** Notes the prompt of a request. The response has only the id of the request. */
export function namePrompt(requestId: string | undefined, memory: AcpMemory): void {
  const call = requestId === undefined ? undefined : memory.notes.values.clientCalls.get(requestId)
  const promptId = lastPromptId(memory)
  if (requestId !== undefined && call && promptId !== undefined)
    memory.notes.setEntry('clientCalls', requestId, withChanges(call, { promptId }))
}

function showNewPrompt(parts: readonly UserContentPart[], context: AcpContext): void {
  const key = promptKey(parts)
  const prompts = promptsOf(key, context)
  const count = prompts.count + 1
  notePrompts(key, { ...prompts, count, seen: count }, context.notes)
  context.notes.remember({ promptId: undefined })
  context.turn.begin()
  const content = userContent(parts) ?? ''
  const id = promptId(key, prompts.count)
  context.upsert(MAIN, { type: 'user_message', id, status: 'complete', content, ...originOfCommand(content) })
}

/** A prompt that begins with a slash and a name is a command to the agent, and no path. */
function originOfCommand(content: unknown): { readonly origin?: UserMessageOrigin } {
  const isCommand = typeof content === 'string' && /^\/[a-z][\w:-]*(?:\s|$)/i.test(content)
  return isCommand ? { origin: 'command' } : {}
}

// Some programs let a prompt wait that comes during a turn, and begin its turn after that one. Files have it there
// too.

/** Whether a prompt that comes now waits for the turn that runs. */
export function isQueued({ reader, notes: { values: notes } }: AcpMemory): boolean {
  return reader.queuesPrompts === true && notes.openPrompts !== undefined
}

/** Remembers a prompt that waits. */
export function queuePrompt(
  id: string | undefined,
  parts: readonly UserContentPart[],
  notes: AcpContext['notes'],
): void {
  const { queuedPrompts = [] } = notes.values
  notes.remember({ queuedPrompts: [...queuedPrompts, { ...(id !== undefined && { id }), parts }] })
}

/**
 * Reads the response to a prompt that waits. The person has taken it back, or the program answers it before its turn.
 * Returns whether the prompt waits.
 */
export function answerQueued(id: string, isTakenBack: boolean, notes: AcpContext['notes']): boolean {
  const { queuedPrompts = [] } = notes.values
  if (!queuedPrompts.some((each) => each.id === id)) return false
  if (isTakenBack)
    rememberQueue(
      queuedPrompts.filter((each) => each.id !== id),
      notes,
    )
  return true
}

/** Begins the turn of the first prompt that waits. Returns whether there is one. */
export function showQueuedPrompt(context: AcpContext): boolean {
  const [next, ...others] = context.notes.values.queuedPrompts ?? []
  if (!next) return false
  rememberQueue(others, context.notes)
  showPrompt(next.parts, next.id, context)
  return true
}

function rememberQueue(
  queuedPrompts: AcpContext['notes']['values']['queuedPrompts'] & object,
  notes: AcpContext['notes'],
): void {
  notes.remember({ queuedPrompts: queuedPrompts.length > 0 ? queuedPrompts : undefined })
}
