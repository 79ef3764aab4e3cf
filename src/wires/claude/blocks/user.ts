import { omitUndefined } from '../../../core/json/fields.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import {
  messageIdOf,
  subagentBlockId,
  type UserMessageBlock,
  type UserMessageOrigin,
} from '../../../core/state/block.ts'
import { type UserContentPart, userContent } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import {
  coordinatorWords,
  isWorkflowFrame,
  splitNotification,
  teammateMessages,
  workflowTask,
} from '../../../programs/claude-code/framed-text.ts'
import {
  COMMAND_TEXT,
  INTERRUPTION_TEXT,
  isAgentMessage,
  isHookText,
  isTaskNotification,
  SUMMARY_TEXT,
} from '../../../programs/claude-code/texts.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { findAgent } from '../agents/agent.ts'
import { endOwnRun, resumeOwnRun } from '../agents/agent-run.ts'
import { registerAgent } from '../agents/register-agent.ts'
import { completeNotifiedAgent } from '../agents/task-events.ts'
import { completeIdleTeammates } from '../agents/teammate.ts'
import { promptBlockId, promptKey } from '../block-ids.ts'
import { type Line, lineId, toolUseResultOf } from '../lines/line.ts'
import { type ClaudeContext, type ClaudeMemory, stopCatchingUp } from '../notes.ts'
import { moveAnswerBelowPrompt } from '../prompts/repeated-prompt.ts'
import { upsertUserMessage } from '../prompts/rewind.ts'
import { decisionOn, refuseLeftCall } from '../requests/answer.ts'
import { type CallRef, hasResult, userContentParts } from './calls.ts'
import { lastMessageOf } from './model/message-stream.ts'
import { replaceQueuedPrompt } from './queue.ts'
import { upsertSystemBlock } from './system-block.ts'
import { translateToolResult } from './tool-result.ts'
import { continueAfterResults, interruptTurn, takesAnswer } from './turn.ts'
import { finalizeTokens } from './usage.ts'

/** Translates a message to the model: from the person, a parent agent, a tool, or the program itself. */
export function translateUserLine(line: Line, context: ClaudeContext): void {
  const { parts, conversationId, timestamp } = line
  const results = newResults(line, context)
  if (conversationId === MAIN && !results.every((part) => isOfEarlierAgent(part, context.state))) {
    stopCatchingUp(context.notes)
    continueAfterResults(line, results, context)
  }
  const isAnswer = conversationId !== MAIN && takesAnswer(conversationId, results, context)
  for (const part of results) {
    const decision = decisionOn(line.raw, part)
    const place = { conversationId, timestamp, toolUseResult: toolUseResultOf(line), decision }
    translateToolResult(part, place, context)
  }
  if (isAnswer) endOwnRun(conversationId, { status: 'completed' }, context)
  for (const [at, words] of userWordsIn(line, userContentParts(parts, context)).entries()) {
    const uuid = at === 0 ? line.uuid : line.uuid && `${line.uuid}:${at}`
    translateUserMessage({ ...line, uuid }, words, context)
  }
}

function translateUserMessage(line: Line, words: UserWords, context: ClaudeContext): void {
  const { content } = words
  if (words.isPrompt) return translatePrompt(line, { content }, context)
  const text = typeof content === 'string' ? content : ''
  if (INTERRUPTION_TEXT.test(text)) return translateInterruption(line, text, context)
  const skillName = isFromProgram(line) ? skillNameIn(text) : undefined
  if (skillName !== undefined) return upsertSkillLoad(line, { skillName, content: text }, context)
  const origin = originOf(line, text, context.notes.values)
  if (origin === 'notification') completeReportingAgents(line, text, context)
  translatePrompt(line, { content, origin }, context)
}

/** Translates words to the model. Those without an origin are a prompt. */
function translatePrompt(
  line: Line,
  {
    content,
    origin,
  }: Pick<UserMessageBlock, 'content'> & { readonly origin?: UserMessageOrigin | undefined },
  context: ClaudeContext,
): void {
  if (origin === 'summary') context.notes.remember({ compactedConversation: undefined })
  if (line.conversationId === MAIN && (origin === undefined || origin === 'notification'))
    context.turn.begin(line.timestamp)
  if (line.conversationId === MAIN && origin === undefined) replaceQueuedPrompt(content, context)
  const { conversationId, timestamp } = line
  if (origin === undefined && isRepeatedPrompt(line, content, context)) return
  if (conversationId === MAIN) stopCatchingUp(context.notes)
  const isFirst = isFirstPrompt(line, origin, context.state)
  const id = isFirst ? promptBlockId(conversationId) : lineId(line, context.notes)
  if (origin === undefined && conversationId !== MAIN) beginRun(conversationId, content, context)
  upsertUserMessage(
    omitUndefined({
      type: 'user_message',
      id,
      conversationId,
      status: 'complete',
      content,
      origin,
      timestamp,
    }),
    context,
  )
  // In a stream of 1.0.128, nothing else marks the prompt of a turn.
  if (origin === undefined && conversationId === MAIN) moveAnswerBelowPrompt(context)
}

/** A prompt begins another run of an agent whose turns are its runs. No call states the prompt of an agent of a workflow. */
function beginRun(
  conversationId: string,
  content: UserMessageBlock['content'],
  context: ClaudeContext,
): void {
  resumeOwnRun(conversationId, context)
  const agent = findAgent(conversationId, context)
  if (agent?.launchedBy !== undefined && agent.prompt === undefined && typeof content === 'string')
    registerAgent(conversationId, { prompt: content }, context)
}

function completeReportingAgents({ raw, conversationId }: Line, text: string, context: ClaudeContext): void {
  if (isAgentMessage(text)) completeIdleTeammates(text, context)
  else completeNotifiedAgent(raw, text, context, conversationId)
}

function isFromProgram({ raw }: Line): boolean {
  return raw.isMeta === true || raw.isSynthetic === true
}

/** The program marks its own messages. Only the text shows a command or a notification. */
function originOf(
  { raw, conversationId }: Line,
  text: string,
  notes: ClaudeContext['notes']['values'],
): UserMessageOrigin | undefined {
  if (raw.isCompactSummary === true || SUMMARY_TEXT.test(text)) return 'summary'
  if (isTaskNotification(text) || isAgentMessage(text)) return 'notification'
  if (isWorkflowFrame(text)) return 'meta'
  if (raw.isMeta === true) return 'meta'
  if (raw.isSynthetic === true) return notes.compactedConversation === conversationId ? 'summary' : 'meta'
  if (COMMAND_TEXT.test(text)) return 'command'
  if (isHookText(text)) return 'meta'
  // Streams of 1.0.128 and 2.0.77 do not mark the summary. It follows the boundary, and only a replay holds a
  // person's prompt.
  const isFirst = notes.isStream && notes.compactedConversation === conversationId
  return isFirst && raw.isReplay !== true ? 'summary' : undefined
}

/** Whether the message is a subagent's prompt: its first message. The prompt's id is known before the message is. */
function isFirstPrompt(
  { conversationId }: Line,
  origin: UserMessageOrigin | undefined,
  state: SessionLookups,
): boolean {
  return conversationId !== MAIN && origin === undefined && !hasPrompt(conversationId, state)
}

/** Whether the source has read the first prompt of a subagent. */
export function hasPrompt(conversationId: string, state: SessionLookups): boolean {
  return state.findBlock(conversationId, promptBlockId(conversationId)) !== undefined
}

/** Whether the line repeats a prompt whose other line has another uuid or none. A client sends main's prompts without a uuid. */
function isRepeatedPrompt(
  { conversationId, isUnnamed, uuid }: Line,
  content: UserMessageBlock['content'],
  memory: ClaudeMemory,
): boolean {
  const { unnamedPrompts } = memory.notes.values
  const key = promptKey(conversationId, content)
  const isSent = conversationId === MAIN && uuid === undefined
  if (isSent || (isUnnamed && !hasPrompt(conversationId, memory.state)))
    memory.notes.setEntry('unnamedPrompts', key, true)
  if (isSent || isUnnamed || unnamedPrompts.get(key) === undefined) return false
  memory.notes.removeEntry('unnamedPrompts', key)
  return true
}

/** Returns the line's results, without those that the state has. */
function newResults({ parts, conversationId }: Line, memory: ClaudeMemory): readonly JsonObject[] {
  return parts.filter(
    ({ type, tool_use_id }) =>
      type === 'tool_result' &&
      isNewResult({ conversationId, toolUseId: asString(tool_use_id) ?? '' }, memory),
  )
}

/** The result of a call on an abandoned branch belongs there. An agent that has started goes on without its call. */
function isNewResult(call: CallRef, memory: ClaudeMemory): boolean {
  const { conversationId, toolUseId } = call
  if (toolUseId !== '' && hasResult(call, memory.state)) return false
  if (conversationId !== MAIN) return true
  if (memory.state.isAbandoned(subagentBlockId(toolUseId))) return findAgent(toolUseId, memory) !== undefined
  return !memory.state.isAbandoned(toolUseId)
}

/**
 * Whether main has gone on after the result of an agent's call, or has left the call: the result comes again. The
 * state has no block for it.
 */
function isOfEarlierAgent({ tool_use_id }: JsonObject, state: SessionLookups): boolean {
  const blockId = subagentBlockId(asString(tool_use_id) ?? '')
  const call = state.findBlock(MAIN, blockId)
  const messageId = call && messageIdOf(call)
  if (messageId === undefined) return state.isAbandoned(blockId)
  const last = lastMessageOf(MAIN, state)
  return last !== undefined && last !== messageId
}

function translateInterruption(line: Line, message: string, context: ClaudeContext): void {
  if (line.conversationId === MAIN) refuseLeftCall(line.raw, context)
  upsertSystemBlock(line, { subtype: 'interruption', message }, context)
  finalizeTokens(
    { conversationId: line.conversationId, messageId: asString(line.raw.interruptedMessageId) ?? '' },
    context,
  )
  if (line.conversationId === MAIN) interruptTurn(line, context)
}

/** Returns the name of a loaded skill. The program hands a skill to the model as a message that names the skill's folder. */
function skillNameIn(text: string): string | undefined {
  const folder = /^Base directory for this skill: (\S+)\s/.exec(text)?.[1]
  return folder?.split(/[/\\]/).findLast((name) => name !== '')
}

function upsertSkillLoad(
  line: Line,
  { skillName, content }: { readonly skillName: string; readonly content: string },
  context: ClaudeContext,
): void {
  const { conversationId, timestamp } = line
  const id = lineId(line, context.notes)
  context.upsert(conversationId, {
    type: 'skill_load',
    id,
    status: 'complete',
    skillName,
    content,
    timestamp,
  })
}

/** A message to the model. A line may hold several. */
interface UserWords {
  readonly content: UserMessageBlock['content']
  /** The program has only put the words into a frame: they are a prompt. */
  readonly isPrompt?: true
}

/** Returns the messages in the parts of a user line, without the program's frames around the words of others. */
function userWordsIn(line: Line, parts: readonly UserContentPart[]): readonly UserWords[] {
  const content = userContent(parts)
  if (content === undefined) return []
  if (typeof content === 'string') return wordsInText(line, content)
  const [first, ...others] = parts
  const isReport = first?.type === 'text' && splitNotification(`${first.text}\n.`) !== undefined
  return isReport ? [{ content: first.text }, ...userWordsIn(line, others)] : [{ content }]
}

function wordsInText({ raw, conversationId }: Line, text: string): readonly UserWords[] {
  const words = asObject(raw.origin).kind === 'coordinator' ? coordinatorWords(text) : undefined
  if (words !== undefined) return [{ content: words, isPrompt: true }]
  const [report, follow] = splitNotification(text) ?? []
  if (report !== undefined && follow !== undefined) return [{ content: report }, { content: follow }]
  // Main's messages from teammates are news. A teammate works for others, so theirs are its prompts.
  if (conversationId === MAIN && raw.agentName === undefined) return [{ content: text }]
  const task = workflowTask(text)
  return task === undefined ? teammateWords(text) : [{ content: task, isPrompt: true }]
}

/** The program itself writes JSON, such as a request to shut down. */
function teammateWords(text: string): readonly UserWords[] {
  const bodies = teammateMessages(text).flatMap(({ body }) => (body.startsWith('{"type":') ? [] : [body]))
  return bodies.length === 0 ? [{ content: text }] : bodies.map((content) => ({ content, isPrompt: true }))
}
