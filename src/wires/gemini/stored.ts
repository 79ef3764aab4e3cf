import { omitUndefined } from '../../core/json/fields.ts'
import { type ConversationBlock, isPrompt, messageIdOf } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { textIn } from '../../programs/gemini/parts.ts'
import { gemini } from '../../programs/gemini/program.ts'
import { type TokenFields, tokensIn } from '../../programs/token-fields.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { abandonFrom, endAbandonedTurn } from '../kit/abandon.ts'
import { errorBlock, noteBlock, reportUsage } from '../kit/blocks.ts'
import { isDistinctive } from '../kit/resumed-text.ts'
import { endByReport, showChild } from './agents.ts'
import { showStoredCalls } from './calls.ts'
import type { StoredCall, StoredLine, StoredMessage } from './messages.ts'
import type { GeminiContext } from './notes.ts'
import { isSnapshot, namePrompts, promptsIn, showCompaction, translateUser } from './prompt.ts'
import { isLast, placeInFile, showWork, storedText, type Thread, takeTextId, threadOf } from './thread.ts'

/** Translates a line of a chat's file. Lines of an agent's file name the agent. */
export function translateStored(line: StoredLine, agentId: string | undefined, context: GeminiContext): void {
  if (line.type === 'header') return translateHeader(line, agentId, context)
  if (agentId === undefined && context.notes.values.otherSessions.get('file'))
    return context.reportUnknown('other-session', line.type)
  switch (line.type) {
    case 'message':
      return translateMessage(agentId, line.message, context)
    case 'set':
      if (line.report !== undefined && agentId !== undefined) endByReport(agentId, line.report, context)
      if (line.history) translateHistory(agentId, line, context)
      return
    case 'rewind':
      return rewind(threadOf(agentId, context.state), line.messageId, context)
  }
}

/** A process begins a file with its header, and repeats it if it goes on with the file. */
function translateHeader(
  { sessionId, cwd, time, messages }: Extract<StoredLine, { readonly type: 'header' }>,
  agentId: string | undefined,
  context: GeminiContext,
): void {
  context.addMissingFacts({ program: gemini.names[0], cwd })
  if (agentId === undefined) {
    if (!isOwnSession(sessionId, 'file', context)) return
    if (messages.length === 0 && isLast(time, context.state)) endAbandonedTurn(time, context)
  }
  for (const message of messages) translateMessage(agentId, message, context)
}

/** Names the session. Returns false for another one: the next lines of that form are not this session's. */
export function isOwnSession(id: string, form: 'stream' | 'file', context: GeminiContext): boolean {
  context.addMissingFacts({ id })
  const isOwn = context.state.facts.id === id
  if (isOwn) context.notes.removeEntry('otherSessions', form)
  else context.notes.setEntry('otherSessions', form, true)
  if (!isOwn) context.reportUnknown('other-session', 'header')
  return isOwn
}

function translateMessage(agentId: string | undefined, message: StoredMessage, context: GeminiContext): void {
  const thread = threadOf(agentId, context.state)
  switch (message.role) {
    case 'user':
      return translateUser(thread, message, context)
    case 'gemini':
      if (isRepeatedHistory(thread, message, context) || context.state.isAbandoned(message.id)) return
      if (agentId !== undefined) showChild(agentId, { prompt: '', time: message.time }, context)
      return translateReply(thread, message, context)
    default:
      return translateNote(thread, message, context)
  }
}

/** Whether the reply is written again. The next whole reply shows that the history is over. */
function isRepeatedHistory({ key }: Thread, message: StoredMessage, memory: Memory<GeminiContext>): boolean {
  const { isForModel } = message
  if (key !== MAIN) return false
  // A source that goes on from a state may have missed the beginning of the history.
  if (isForModel && isInState(message, memory.state)) memory.notes.remember({ isRewriting: true })
  if (!memory.notes.values.isRewriting) return false
  if (!isForModel) memory.notes.remember({ isRewriting: undefined })
  return isForModel
}

function isInState({ parts }: StoredMessage, state: SessionLookups): boolean {
  return parts.some(
    (part) =>
      part.type === 'text' &&
      isDistinctive(part.text) &&
      state.blocksOf(MAIN).some((block) => block.type === 'assistant_text' && block.content === part.text),
  )
}

/** Translates what the program has shown to the person. */
function translateNote(thread: Thread, message: StoredMessage, output: SessionOutput): void {
  const { id, role, time: timestamp, parts } = message
  const { conversationId, key } = thread
  const text = textIn(parts)
  if (text === '' || output.state.findBlock(conversationId, id)) return
  const isRunning = key === MAIN && output.turn.isOpen()
  const common = { id, message: text, timestamp }
  if (role === 'error' && isRunning) {
    output.upsert(conversationId, errorBlock(common))
    return output.turn.end({ outcome: 'failed', error: text, timestamp })
  }
  const isStop = role === 'info' && text.startsWith('Request cancelled')
  const subtype = isStop ? 'interruption' : role
  output.upsert(conversationId, noteBlock({ subtype, ...common }))
  if (isStop && isRunning) output.turn.end({ outcome: 'interrupted', timestamp })
}

/**
 * Reads the whole history anew, as the model gets it. It lacks much of the earlier lines, so those count. Only a
 * conversation without any block takes it as it is. A compaction begins with a summary. A history without the prompt
 * of the running turn has dropped the turn.
 */
function translateHistory(
  agentId: string | undefined,
  { history = [], time }: Extract<StoredLine, { readonly type: 'set' }>,
  context: GeminiContext,
): void {
  const thread = threadOf(agentId, context.state)
  if (thread.key === MAIN) context.notes.remember({ isRewriting: undefined })
  const summary = history.find(isSnapshot)
  if (context.state.blocksOf(thread.conversationId).length === 0) {
    for (const message of history) translateMessage(agentId, message, context)
    return
  }
  if (summary) showCompaction(thread, summary, context)
  if (thread.key !== MAIN) return
  namePrompts(promptsIn(history), context)
  if (!summary && isLast(time, context.state) && isDropped(history, context))
    context.turn.end({ outcome: 'interrupted', timestamp: time })
}

function isDropped(history: readonly StoredMessage[], memory: Memory<GeminiContext>): boolean {
  const { answer, prompts } = memory.notes.values
  if (memory.state.turn.status !== 'running' || answer) return false
  for (const block of memory.state.typeFromEnd(MAIN, 'user_message'))
    if (isPrompt(block)) return !history.some(({ id }) => prompts.get(id) === block.id)
  return false
}

/** Moves a message and all later ones to a branch: the person has gone back to before it. The results of calls stay with their calls. */
function rewind({ conversationId, key }: Thread, messageId: string, context: GeminiContext): void {
  const branchId = `rewind:${messageId}`
  if (key !== MAIN || context.state.branches.some(({ id }) => id === branchId)) return
  const first = context.notes.values.prompts.get(messageId) ?? messageId
  const blocks = context.state.blocksOf(conversationId)
  const isFirst = (block: (typeof blocks)[number]) =>
    block.id === first || ('messageId' in block && block.messageId === messageId)
  const result = context.notes.values.resultMessages.get(messageId)
  const lastResult = blocks.findIndex(({ id }) => id === result)
  if (lastResult >= 0 && lastResult === blocks.length - 1) return
  const at = lastResult >= 0 ? lastResult + 1 : blocks.findIndex(isFirst)
  if (at < 0) return context.reportUnknown('unplaced-message', '$rewindTo')
  context.turn.endAnswered()
  context.notes.removeEntry('places', key)
  abandonFrom(at, { id: branchId }, context)
}

/**
 * Translates a reply of the model. It is written once when its texts are whole, and again when all its calls have
 * ended. Nothing tells a text whose calls still run from an answer, so each text without calls ends the turn, and its
 * calls go on with it.
 */
function translateReply(thread: Thread, message: StoredMessage, context: GeminiContext): void {
  const { conversationId, key } = thread
  const { id, time, model } = message
  const text = textIn(message.parts)
  const calls = [...message.calls, ...callsIn(message)]
  const isNew = !isKnown(thread, id, context.state)
  if (isNew)
    for (const thought of thoughtsOf(message)) showText(thread, message, 'thinking', thought, context)
  if (text !== '') showReplyText(thread, message, text, context)
  showStoredCalls(thread, calls, message, context)
  // Both lines of a reply have its tokens.
  const usage = message.tokens && tokensIn(message.tokens, TOKENS)
  if (usage) reportUsage(conversationId, { messageId: message.id, usage, model: message.model }, context)
  if (key !== MAIN) return
  if (model !== undefined) context.updateFacts({ model })
  const isAnswer = isNew && text !== '' && calls.length === 0
  const isOpen = context.state.turn.status === 'running' || context.state.turn.openBlocks !== undefined
  if (!isAnswer || !isOpen) return
  context.turn.answer({ outcome: 'finished', timestamp: time })
  context.turn.settle()
}

function isKnown({ conversationId }: Thread, messageId: string, state: SessionLookups): boolean {
  return state.hasBlocks(conversationId, messageId) || state.usageOf(conversationId, messageId) !== undefined
}

/** The history for the model has calls without their results. */
function callsIn({ parts, time }: StoredMessage): readonly StoredCall[] {
  return parts.flatMap((part) => {
    if (part.type !== 'call' || part.id === undefined) return []
    const { id, name, input } = part
    const open = { status: 'executing', result: undefined, display: undefined, agentId: undefined, time }
    return [{ id, name, input, ...open }]
  })
}

function thoughtsOf({ thoughts, parts }: StoredMessage): readonly string[] {
  if (thoughts.length > 0) return thoughts
  return parts.flatMap((part) => (part.type === 'text' && part.isThought ? [part.text] : []))
}

/** Shows the text of a reply. It may have grown since the reply was written first. */
function showReplyText(thread: Thread, message: StoredMessage, text: string, context: GeminiContext): void {
  const known = context.state
    .blocksOfMessage(thread.conversationId, message.id)
    .find((block) => block.type === 'assistant_text')
  if (!known) return showText(thread, message, 'assistant_text', text, context)
  if (known.content === text || text.length < known.content.length || message.isForModel) return
  if (storedText(known.content) === text) return
  context.upsert(thread.conversationId, { ...known, content: text })
}

function showText(
  thread: Thread,
  { id: messageId, time: timestamp, model }: StoredMessage,
  type: 'assistant_text' | 'thinking',
  content: string,
  context: GeminiContext,
): void {
  const { conversationId } = thread
  const place = placeInFile(thread, context)
  const isStreamed = (known: ConversationBlock) =>
    known.type === type && messageIdOf(known) === undefined && storedText(known.content) === content
  const { id, next } = takeTextId(conversationId, place, type, isStreamed, context.state)
  context.notes.setEntry('places', thread.key, next)
  const streamed = context.state.findBlock(conversationId, id)
  const block = omitUndefined({ type, id, status: 'complete', content, messageId, model, timestamp } as const)
  // The stream has the text as the model wrote it.
  if (streamed?.type === type)
    context.upsert(conversationId, { ...streamed, status: 'complete', messageId, model })
  else showWork(thread, block, context)
}

/** Gemini counts thoughts beside the output. */
const TOKENS: TokenFields = {
  inputTokens: 'input',
  outputTokens: 'output',
  cacheReadTokens: 'cached',
  reasoningTokens: 'thoughts',
  holdsCached: true,
  lacksThinking: true,
  omitsZeros: true,
}
