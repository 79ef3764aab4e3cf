import { isEqual } from '../../../core/json/equal.ts'
import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asFiniteNumber, asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import type { ConversationBlock, UserMessageOrigin } from '../../../core/state/block.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { Memory, SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { callBlock, compactionBlocks, resultBlock, show, statusOf } from '../../kit/blocks.ts'
import { completeNotifiedAgents } from '../agents.ts'
import { idOfTime, type PiMessage, readContent, textOf } from '../messages.ts'
import type { PiContext } from '../notes.ts'
import { keptBlocks } from '../tree.ts'
import { addCost, translateReply } from './reply.ts'
import { translateResult } from './result.ts'

/** Translates a whole message. */
export function translateMessage(conversationId: string, message: PiMessage, context: PiContext): void {
  const { role, raw } = message
  switch (role) {
    case 'user':
      return conversationId === MAIN
        ? translatePrompt(message, context)
        : translateAgentPrompt(conversationId, message, context)
    case 'assistant':
      return translateReply(conversationId, message, context)
    case 'toolResult':
      return translateResult(conversationId, message, context)
    case 'bashExecution':
      return showCommand({ ...raw, timestamp: message.time }, context)
    case 'custom':
      return translateNote(conversationId, message, context)
    case 'developer':
    case 'hookMessage':
      return showUserMessage(conversationId, message, 'meta', context)
    case 'system':
      return readTools(conversationId, raw, context)
    case 'compactionSummary':
    case 'branchSummary':
    case 'fileMention':
    case 'pythonExecution':
      return
    default:
      context.reportUnknown('unknown-message', `message/${role}`)
  }
}

/** Translates a message of the person. It starts a turn, and ends the one before if the model has answered. */
function translatePrompt(message: PiMessage, output: SessionOutput): void {
  const content = readContent(message.raw.content)
  const id = freeId(MAIN, { id: message.id, content }, output.state)
  if (content === undefined || id === undefined) return
  const { time: timestamp } = message
  output.turn.begin(timestamp)
  show(MAIN, { id, type: 'user_message', status: 'complete', content, timestamp }, output)
}

/** Returns an id for the content: two messages may have one time. Undefined if the content is there. */
function freeId(
  conversationId: string,
  { id, content }: { readonly id: string; readonly content: unknown },
  state: SessionLookups,
): string | undefined {
  for (let number = 1; ; number += 1) {
    const own = number === 1 ? id : `${id}/${number}`
    const known = state.findBlock(conversationId, own)
    if (state.isAbandoned(own) || (known && 'content' in known && isEqual(known.content, content)))
      return undefined
    if (!known) return own
  }
}

/** The words that programs put before the prompt of an agent. */
const PREAMBLE = /^(?:Task: |Complete assignment thoroughly:\n\n)/

/** Translates a message to an agent. The first one is its prompt. */
function translateAgentPrompt(conversationId: string, message: PiMessage, output: SessionOutput): void {
  const content = readContent(message.raw.content)
  if (content === undefined) return
  const promptId = `${conversationId}:prompt`
  const prompt = typeof content === 'string' ? content.replace(PREAMBLE, '') : content
  const known = output.state.findBlock(conversationId, promptId)
  const isPrompt = !known || (known.type === 'user_message' && isEqual(known.content, prompt))
  const id = isPrompt ? promptId : message.id
  const { time: timestamp } = message
  show(
    conversationId,
    {
      id,
      type: 'user_message',
      status: 'complete',
      content: isPrompt ? prompt : content,
      timestamp,
    },
    output,
  )
}

/** Translates a message of an extension to the model. It may report the end of an agent. */
function translateNote(conversationId: string, message: PiMessage, context: PiContext): void {
  const text = textOf(message.raw.content)
  const isNews = completeNotifiedAgents(text, context)
  showUserMessage(conversationId, message, isNews ? 'notification' : 'meta', context)
}

function showUserMessage(
  conversationId: string,
  { id: ownId, time: timestamp, raw }: PiMessage,
  origin: UserMessageOrigin,
  output: SessionOutput,
): void {
  const content = readContent(raw.content)
  const id = freeId(conversationId, { id: ownId, content }, output.state)
  if (content === undefined || id === undefined) return
  show(conversationId, { id, type: 'user_message', status: 'complete', content, origin, timestamp }, output)
}

/** Translates the stored form of an extension's message, and the summary of a branch that the person left. */
export function translateStoredNote(conversationId: string, raw: JsonObject, context: PiContext): void {
  const { timestamp, summary, content = summary } = raw
  const message = {
    role: 'custom',
    id: idOfTime(timestamp) ?? '',
    time: asString(timestamp),
    raw: { content },
  }
  if (summary === undefined) translateNote(conversationId, message, context)
  else {
    const id = asString(raw.id) ?? message.id
    if (!context.state.findBlock(conversationId, id) && !context.state.isAbandoned(id))
      addCost(raw.usage, context)
    showUserMessage(conversationId, { ...message, id }, 'summary', context)
  }
}

/** Adds the tools that the program offers to the model from now on. */
function readTools(
  conversationId: string,
  { toolsAdded, toolsRemoved }: JsonObject,
  output: SessionOutput,
): void {
  const namesOf = (list: unknown) =>
    asArray(list).flatMap((tool) => asString(tool) ?? asString(asObject(tool).name) ?? [])
  const removed = new Set(namesOf(toolsRemoved))
  const known = (output.state.facts.tools ?? []).filter((name) => !removed.has(name))
  const tools = [...new Set([...known, ...namesOf(toolsAdded)])]
  if (conversationId === MAIN && tools.length > 0) output.updateFacts({ tools })
}

interface PersonCommand {
  readonly input: JsonObject
  readonly timestamp: string | undefined
}

/** Shows a command that the person has run. Only a file has its time, so its place makes its id. */
export function showCommand(facts: JsonObject, context: PiContext): void {
  const { command, output, exitCode: code } = facts
  const timestamp = asString(facts.timestamp)
  const input = { command }
  const toolUseId = commandId({ input, timestamp }, context)
  if (typeof command !== 'string' || toolUseId === undefined) return
  const exitCode = asFiniteNumber(code)
  const isError = facts.cancelled === true || (exitCode !== undefined && exitCode !== 0)
  const call = { toolName: 'bash', toolUseId, input, requestedBy: 'person', timestamp } as const
  show(MAIN, callBlock(call, statusOf(isError)), context)
  const result = { toolUseId, output: asString(output) ?? '', isError, exitCode, timestamp }
  show(MAIN, resultBlock(result), context)
}

/** Returns the id of a command after main's last message; undefined if that command is there. Only a file has its time. */
function commandId(command: PersonCommand, memory: Memory<PiContext>): string | undefined {
  const { id = MAIN, isLive = false } = memory.notes.values.lastMessage ?? {}
  const { timestamp } = command
  // A stream that goes on after a history has not shown its place yet.
  const isPlace =
    timestamp === undefined ? () => !isLive : (block: ConversationBlock) => block.timestamp === timestamp
  if (memory.state.blocksOf(MAIN).some((block) => isPlace(block) && isSameCommand(block, command)))
    return undefined
  for (let number = 0; ; number += 1) {
    const own = `command:${id}:${number}`
    const known = memory.state.findBlock(MAIN, own)
    if (!known) return own
    if (isSameCommand(known, command)) return undefined
  }
}

function isSameCommand(block: ConversationBlock, { input, timestamp }: PersonCommand): boolean {
  if (block.type !== 'tool_use' || !isEqual(block.input, input)) return false
  return timestamp === undefined || block.timestamp === undefined || block.timestamp === timestamp
}

/** Shows a compaction with its summary. A stream and a file have no id in common, so the first entry that stays makes it. */
export function showCompaction(conversationId: string, raw: JsonObject, context: PiContext): void {
  const { summary, firstKeptEntryId, tokensBefore, usage } = raw
  if (typeof summary !== 'string') return
  const id = ['compaction', firstKeptEntryId, tokensBefore].map((part) => String(part ?? '')).join(':')
  const timestamp = asString(raw.timestamp)
  if (context.state.findBlock(conversationId, id) || context.state.isAbandoned(id)) return
  addCost(usage, context)
  const data = omitUndefined({ tokensBefore: asFiniteNumber(tokensBefore), usage })
  const keptBlockIds = keptBlocks(conversationId, raw, context)
  for (const block of compactionBlocks({ id, summary, data, keptBlockIds, timestamp }))
    show(conversationId, block, context)
}
