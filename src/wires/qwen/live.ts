import { isEqual } from '../../core/json/equal.ts'
import { asObject, asString, isString, type JsonObject } from '../../core/json/values.ts'
import { MAIN } from '../../core/state/session.ts'
import { qwen } from '../../programs/qwen/program.ts'
import type { Memory } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { PersistentMap } from '../../reading/notes/persistent-map.ts'
import { isOver } from '../../reading/turn.ts'
import { endAgent } from '../kit/abandon.ts'
import { reportUsage } from '../kit/blocks.ts'
import { describeAgent, endLeftAgents, findOrStartAgent, foregroundAgent } from './agents.ts'
import { showCall, showResult } from './calls.ts'
import { forgetSentPrompts, isCatchingUp, newLines } from './catch-up.ts'
import { type LiveLine, resultsIn, usageOf } from './messages.ts'
import type { QwenContext } from './notes.ts'
import { beginMessage, currentMessage, endMessage, moveTo, takePromptId } from './place.ts'
import { answerRequest, showRequest } from './requests.ts'
import { beginText, extendText, isApiError, retryText, showError, showText } from './text.ts'
import {
  contentOfMessage,
  endOpenTurn,
  failTurn,
  interrupt,
  noteAnswer,
  placePrompt,
  showAgentPrompt,
  showNotification,
  showPrompt,
} from './turn.ts'

type LineOf<Type extends LiveLine['type']> = Extract<LiveLine, { readonly type: Type }>

/** Translates a line of the stream. */
export function translateLive(value: JsonObject, line: LiveLine, context: QwenContext): void {
  context.addMissingFacts({ program: qwen.names[0] })
  if (isRepeated(line, context.notes.values)) return goBehind(line, context)
  const lines = isCatchingUp(context) ? newLines(value, line, context) : [line]
  noteLine(line, context.notes)
  for (const each of lines) translateLine(each, context)
}

function translateLine(line: LiveLine, context: QwenContext): void {
  noteLine(line, context.notes)
  if (line.type !== 'ignored' && line.type !== 'init' && !isSentPrompt(line)) beginPendingTurn(context)
  if (line.uuid !== undefined && line.type !== 'init' && !EMPTY_TYPES.has(line.type))
    context.notes.remember({ isFresh: undefined })
  const conversationId = line.parentId ?? MAIN
  if (line.parentId !== undefined && line.type !== 'user') findOrStartAgent(line.parentId, '', context)
  switch (line.type) {
    case 'init':
      return translateInit(line, context)
    case 'session':
      context.notes.remember({ isTerminal: true })
      return context.addMissingFacts({ cwd: line.cwd })
    case 'process':
      return endLeftAgents(context)
    case 'message-start':
      beginMessage(conversationId, context)
      return
    case 'message-stop':
      return endReply(conversationId, context)
    case 'text-start':
      beginText(conversationId, context)
      return
    case 'delta':
      return extendText(conversationId, line, context)
    case 'retry':
      return retryText(conversationId, line.goesOn, context)
    case 'assistant':
      return translateAssistant(conversationId, line, context)
    case 'user':
      return translateUser(line, context)
    case 'result':
      return translateResult(line, context)
    case 'task-started':
      return translateTask(line, context)
    case 'task-ended':
      return endAgent(
        line.toolUseId,
        { isError: line.status !== 'completed', durationMs: line.durationMs },
        context,
      )
    case 'request':
      return showRequest(line, context)
    case 'answer':
      return answerRequest(line, context)
    case 'ignored':
      return
  }
}

/** Whether the line has come before: a reader may get the last lines again after a reconnect. All first lines of a session have its id. */
function isRepeated({ uuid, type }: LiveLine, notes: QwenContext['notes']['values']): boolean {
  if (uuid === undefined || type === 'init') return false
  return notes.lines.get(uuid) === true || notes.pieces.get(uuid) === true
}

function noteLine({ uuid, type }: LiveLine, notes: QwenContext['notes']): void {
  const { lastLine = '' } = notes.values
  if (uuid === undefined || type === 'init') return notes.remember({ lastLine })
  notes.setEntry(type === 'delta' ? 'pieces' : 'lines', uuid, true)
  notes.remember({
    repeatedLine: undefined,
    lastLine: uuid,
    sentPrompts: undefined,
    repeatedPrompts: undefined,
  })
}

/** The prompts of the client have no ids. */
function isSentPrompt({ type, uuid }: LiveLine): boolean {
  return type === 'user' && uuid === undefined
}

/** The lines that add nothing to a turn. */
const EMPTY_TYPES: ReadonlySet<LiveLine['type']> = new Set([
  'process',
  'message-start',
  'text-start',
  'ignored',
])

/** Notes that lines come again. A line before it that began a turn is a repeated one. */
function goBehind({ uuid }: LiveLine, context: QwenContext): void {
  forgetSentPrompts(context.notes)
  const { pendingTurn, lastTurn } = context.notes.values
  if (pendingTurn?.isNew && lastTurn && isOver(lastTurn))
    context.turn.end({ outcome: lastTurn.status, error: lastTurn.error })
  context.notes.remember({ repeatedLine: uuid, repeatedPrompts: undefined, pendingTurn: undefined })
}

function isShownPrompt(content: unknown, state: SessionLookups): boolean {
  const words = contentOfMessage(content)
  return state.blocksOf(MAIN).some((block) => block.type === 'user_message' && isEqual(block.content, words))
}

/**
 * A turn begins: with the prompt that stands last, with the next one that the client has sent, or with one that the
 * stream does not have.
 */
function translateInit(line: LineOf<'init'>, context: QwenContext): void {
  context.addMissingFacts({ cwd: line.cwd })
  const { lastLine, repeatedLine = lastLine, isFresh, pendingTurn } = context.notes.values
  if (repeatedLine !== lastLine || isFresh || pendingTurn) return
  if (line.model !== undefined) context.updateFacts({ model: line.model })
  const isNew = context.state.turn.status !== 'running'
  if (isNew) context.turn.begin()
  context.notes.remember({ pendingTurn: { isNew } })
}

/** Begins the turn of which a line has come, now that a new line follows. */
export function beginPendingTurn(context: QwenContext): void {
  const { pendingTurn, queue: [next, ...rest] = [] } = context.notes.values
  if (!pendingTurn) return
  context.notes.removeEntry('openTexts', MAIN)
  context.notes.remember({ pendingTurn: undefined, isFresh: true, pieces: new PersistentMap() })
  if (hasPrompt(context.state)) return
  if (!pendingTurn.isNew) endOpenTurn(undefined, context)
  context.turn.begin()
  if (next === undefined) return moveTo(MAIN, takePromptId(MAIN, context.notes), context)
  context.notes.remember({ queue: rest.length > 0 ? rest : undefined })
  placePrompt({ content: contentOfMessage(next) }, context)
}

/** Whether the running turn has its prompt, and nothing after it so far. */
function hasPrompt(state: SessionLookups): boolean {
  const last = state.blocksOf(MAIN).at(-1)
  if (last?.type !== 'user_message' || state.turn.status !== 'running') return false
  return last.origin === undefined || last.origin === 'command'
}

/**
 * A reply is over. One of main without calls is an answer, or what the person has stopped. Only the terminal has no
 * other end of a turn.
 */
function endReply(conversationId: string, context: QwenContext): void {
  context.notes.removeEntry('openTexts', conversationId)
  endMessage(conversationId, context)
  if (conversationId !== MAIN || !context.notes.values.isTerminal) return
  if (context.notes.values.answer?.outcome === 'interrupted') interrupt(undefined, context)
  else context.turn.settle()
}

function translateAssistant(
  conversationId: string,
  { content, usage, model }: LineOf<'assistant'>,
  context: QwenContext,
): void {
  const tokens = usageOf(usage)
  const messageId = currentMessage(conversationId, context)
  let hasCall = false
  let text: string | undefined
  for (const value of content) {
    const part = asObject(value)
    const { type, id, name, input, thinking } = part
    const words = asString(type === 'thinking' ? thinking : part.text)
    if (type === 'tool_use' && isString(id)) {
      hasCall = true
      showCall(conversationId, { id, name: asString(name) ?? '', input: input ?? {} }, context)
    } else if (words !== undefined && words !== '') {
      if (type !== 'thinking') text = words
      showText(conversationId, { isThought: type === 'thinking', text: words, model }, context)
    }
  }
  if (tokens) {
    reportUsage(conversationId, { messageId, usage: tokens, model }, context)
    endMessage(conversationId, context)
  }
  if (conversationId === MAIN && !hasCall && text !== undefined && !isApiError(text))
    noteAnswer(tokens !== undefined, undefined, context)
}

const NOTICE = /^Background agent ".*" \w+\.?/s

function translateUser({ uuid, parentId, content }: LineOf<'user'>, context: QwenContext): void {
  const conversationId = parentId ?? MAIN
  const results = resultsIn(content)
  for (const { tool_use_id, is_error, content: output } of results) {
    if (!isString(tool_use_id)) continue
    endMessage(conversationId, context)
    const result = { id: tool_use_id, output: output ?? '', isError: is_error === true, record: {} }
    showResult(conversationId, result, context)
  }
  const words = contentOfMessage(content)
  if (words === undefined || results.length > 0) return
  if (parentId !== undefined) return showAgentPrompt(parentId, words, undefined, context)
  if (uuid === undefined) return translateSentPrompt(content, context)
  if (isString(words) && NOTICE.test(words)) return showNotification(MAIN, words, undefined, context)
  // Only the terminal prints the person's prompts.
  context.notes.remember({ isTerminal: true })
  showPrompt({ content: words }, context)
}

/** A prompt of the SDK's client waits until the running turn is over. The first line of a turn takes it. */
function translateSentPrompt(content: unknown, context: QwenContext): void {
  if (isRepeatedPrompt(content, context)) return
  const { queue = [], sentPrompts = [] } = context.notes.values
  context.notes.remember({ sentPrompts: [...sentPrompts, content] })
  const isWaiting = queue.length > 0 || context.state.turn.status === 'running'
  if (isWaiting) return context.notes.remember({ queue: [...queue, content] })
  showPrompt({ content: contentOfMessage(content) }, context)
}

/**
 * Whether a prompt of the client comes again. It has no id, and a second prompt may have the same words. So it is a
 * repeated one between lines that come again, or if it has the same place behind the last new line.
 */
function isRepeatedPrompt(content: unknown, memory: Memory<QwenContext>): boolean {
  const { queue = [], repeatedLine, lastLine, sentPrompts = [], repeatedPrompts = 0 } = memory.notes.values
  if (repeatedLine === undefined) return false
  if (repeatedLine !== lastLine)
    return queue.some((each) => isEqual(each, content)) || isShownPrompt(content, memory.state)
  if (!isEqual(sentPrompts[repeatedPrompts], content)) return false
  memory.notes.remember({ repeatedPrompts: repeatedPrompts + 1 })
  return true
}

/**
 * A child that fails or is cancelled writes such a line too, without a mark of its own. Before 0.24, a turn that
 * failed succeeds with the error as its text.
 */
function translateResult(line: LineOf<'result'>, context: QwenContext): void {
  const { text = '', turns } = line
  const error = line.error ?? (isApiError(text) ? text : undefined)
  const child = error !== undefined && turns === 0 ? foregroundAgent(context) : undefined
  if (error !== undefined && child !== undefined) {
    if (!isCancelled(error)) showError(child, error, undefined, context)
    return
  }
  endReply(MAIN, context)
  if (error === undefined) return context.turn.end({ outcome: 'finished' })
  if (isCancelled(error)) return interrupt(undefined, context)
  failTurn(error, undefined, context)
}

function isCancelled(error: string): boolean {
  return /cancell?ed/i.test(error)
}

function translateTask(
  { toolUseId, agentId, name, description }: LineOf<'task-started'>,
  context: QwenContext,
): void {
  context.notes.setEntry('background', toolUseId, true)
  describeAgent(toolUseId, { agentId, subagentType: name, description }, context)
}
