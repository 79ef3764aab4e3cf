import { withChanges } from '../../../json/with-changes.ts'
import { userContent } from '../../../session/user-content.ts'
import type { UserMessageOrigin } from '../../../state/block.ts'
import type { UserContentPart } from '../../../state/content.ts'
import { MAIN } from '../../../state/session.ts'
import type { AcpContext } from '../context.ts'
import type { KnownPrompts } from '../memory.ts'
import { wordsKey } from './words-key.ts'

// The client's own request has no id for its prompt, and a replay has the agent's. So the words of a prompt make its id, with the number of
// prompts before it that have the same words. Both sides know these.

/** Returns the key of the words of a prompt. Prompts of one key have different numbers. */
export function promptKey(parts: readonly UserContentPart[]): string {
  return wordsKey(JSON.stringify(parts))
}

function promptId(key: string, number: number): string {
  return `prompt:${key}:${number}`
}

/** Reads the id of a prompt: its key and its number; undefined for any other id. */
function readPromptId(id: string): { readonly key: string; readonly number: number } | undefined {
  const [, key, number] = /^prompt:([0-9a-z]+):(\d+)$/.exec(id) ?? []
  return key === undefined ? undefined : { key, number: Number(number) }
}

export function isPromptId(id: string): boolean {
  return readPromptId(id) !== undefined
}

/** Whether the request is that of the running turn of a resumed state. Its words have the key. */
export function isUnnamedPrompt(key: string, { memory }: AcpContext): boolean {
  return memory.hasUnnamedPrompt === true && readPromptId(memory.promptId ?? '')?.key === key
}

/** Shows a prompt of a replay, unless it is known. An agent may repeat the prompt that it has just got. */
export function replayPrompt(parts: readonly UserContentPart[], context: AcpContext): void {
  const { loadId, openPrompts } = context.memory
  if (loadId === undefined && openPrompts > 0 && isLastPrompt(promptKey(parts), context)) return
  const prompts = promptsOf(promptKey(parts), context)
  const number = prompts.seen
  rememberPrompts({ ...prompts, seen: number + 1 }, context)
  if (number >= prompts.known) return showNewPrompt(parts, context)
  context.remember({ promptId: promptId(prompts.id, number) })
}

function isLastPrompt(key: string, { memory }: AcpContext): boolean {
  const { heldPrompt, promptId = '' } = memory
  return key === (heldPrompt ? promptKey(heldPrompt.parts) : readPromptId(promptId)?.key)
}

/** Begins a replay, which repeats each prompt. */
export function beginReplay(loadId: string | undefined, context: AcpContext): void {
  const { prompts } = context.memory
  const unseen = prompts.values().reduce((all, each) => all.with(each.id, { ...each, seen: 0 }), prompts)
  context.remember({ loadId, prompts: unseen })
}

/** Shows the client's own prompt. If its words are known, the first update of its turn shows whether it is a new one. */
export function showPrompt(
  parts: readonly UserContentPart[],
  requestId: string | undefined,
  context: AcpContext,
): void {
  context.beginTurn()
  if (promptsOf(promptKey(parts), context).known > 0)
    context.remember({ heldPrompt: { id: requestId, parts } })
  else showNewPrompt(parts, context)
}

/** Shows the prompt that was held: its turn is a new one. */
export function showHeldPrompt(context: AcpContext): void {
  const { heldPrompt } = context.memory
  if (!heldPrompt) return
  context.remember({ heldPrompt: undefined })
  showNewPrompt(heldPrompt.parts, context)
  namePrompt(heldPrompt.id, context)
}

/** Forgets the prompt that was held: its turn is known. */
export function dropHeldPrompt(context: AcpContext): void {
  const { heldPrompt } = context.memory
  if (!heldPrompt) return
  const prompts = promptsOf(promptKey(heldPrompt.parts), context)
  const { repeated } = prompts
  rememberPrompts({ ...prompts, repeated: repeated + 1 }, context)
  const number = Math.min(repeated, prompts.known - 1)
  context.remember({ heldPrompt: undefined, promptId: promptId(prompts.id, number) })
  namePrompt(heldPrompt.id, context)
}

/** Makes the held prompt the last prompt: its turn goes on. */
export function claimHeldPrompt(context: AcpContext): void {
  const { heldPrompt } = context.memory
  context.remember({ heldPrompt: undefined })
  namePrompt(heldPrompt?.id, context)
}

/** The response to the request of the prompt has only the id of the request. */
export function namePrompt(requestId: string | undefined, context: AcpContext): void {
  const { clientCalls, promptId } = context.memory
  const call = clientCalls.get(requestId ?? '')
  if (call) context.setEntry('clientCalls', call.id, withChanges(call, { promptId }))
}

function showNewPrompt(parts: readonly UserContentPart[], context: AcpContext): void {
  const prompts = promptsOf(promptKey(parts), context)
  const id = promptId(prompts.id, prompts.known)
  const known = prompts.known + 1
  rememberPrompts({ ...prompts, known, seen: known }, context)
  context.remember({ promptId: id })
  context.beginTurn()
  const content = userContent(parts) ?? ''
  context.upsert(MAIN, { type: 'user_message', id, status: 'complete', content, ...originOfCommand(content) })
}

/** A prompt that begins with a slash and a name is a command to the agent, and no path. */
function originOfCommand(content: unknown): { readonly origin?: UserMessageOrigin } {
  const isCommand = typeof content === 'string' && /^\/[a-z][\w:-]*(?:\s|$)/i.test(content)
  return isCommand ? { origin: 'command' } : {}
}

function promptsOf(key: string, { memory }: AcpContext): KnownPrompts {
  return memory.prompts.get(key) ?? { id: key, known: 0, seen: 0, repeated: 0 }
}

function rememberPrompts(prompts: KnownPrompts, context: AcpContext): void {
  context.setEntry('prompts', prompts.id, prompts)
}

/** Remembers a prompt of a resumed state. */
export function resumePrompt(id: string, context: AcpContext): void {
  const read = readPromptId(id)
  if (!read) return
  const prompts = promptsOf(read.key, context)
  const known = Math.max(prompts.known, read.number + 1)
  rememberPrompts({ ...prompts, known, seen: known }, context)
  context.remember({ promptId: id })
}
