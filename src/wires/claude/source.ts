import { asObject, asString, assertNever, isObject, type JsonObject } from '../../core/json/values.ts'
import { type ConversationBlock, messageIdOf } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import { CLAUDE_CODE } from '../../programs/claude-code/program.ts'
import { INTERRUPTION_TEXT, textsOfParts } from '../../programs/claude-code/texts.ts'
import { type InputEnd, TranslationContext, typeName } from '../../reading/context.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import type { Source } from '../../reading/source.ts'
import { lastTextOf, runningAgents } from './agents/agent.ts'
import { completeAgent } from './agents/agent-run.ts'
import { registerAgentOfLine } from './agents/register-agent.ts'
import { unwrapAgentProgress } from './agents/task-events.ts'
import { registerParentsFromMeta } from './agents/teammate.ts'
import { updateTokens } from './blocks/assistant.ts'
import { translateStreamEvent } from './blocks/model/stream-event.ts'
import { continueOwedTurn, repeatTurnEnd } from './blocks/turn.ts'
import { claudeRules } from './format.ts'
import { isConversationLine, type Line } from './lines/line.ts'
import { rememberRepeatedPlace } from './lines/line-tree.ts'
import { withOwnCall } from './lines/own-ids.ts'
import { readLine, rememberLine } from './lines/read-lines.ts'
import { type ClaudeContext, type ClaudeMemory, type ClaudeNotes, NOTES } from './notes.ts'
import { open } from './open.ts'
import { noteBrokenLine } from './prompts/repeated-prompt.ts'
import { isInferred } from './requests/known-requests.ts'
import {
  agentGroup,
  type BufferGroup,
  bufferEarlyLine,
  bufferLine,
  INLINE,
  isEarlyLine,
  releaseBelow,
  releaseEarlyBefore,
  releaseEarlyLines,
} from './routing/early-lines.ts'
import {
  isInlineAgentLine,
  isProgramAgentLine,
  mayHaveInlineAgent,
  releaseInlineLines,
} from './routing/inline-agents.ts'
import {
  isUnlinkedAgentLine,
  releaseAllUnlinked,
  releaseByLiveLine,
  releaseByPrompt,
  releaseByResult,
  releaseLinked,
} from './routing/unlinked-agents.ts'
import { reportUnknownType, translateLine, translateReleased } from './translate-line.ts'

/** Ends the input: translates all lines that still wait, and reports unfinished agents. */
function end(context: ClaudeContext): InputEnd {
  translateReleased(releaseEarlyLines(context), context)
  translateReleased(releaseInlineLines(undefined, context), context)
  translateReleased(releaseAllUnlinked(context), context)
  registerParentsFromMeta(context)
  completeStoppedAgents(context)
  context.nameSession({ program: CLAUDE_CODE })
  const { answer, isStream } = context.notes.values
  const { ending, issues } = context.endInput({ mayWait: !isStream && !isOfStream(context.state) })
  if (ending === 'interrupted' || !isStream) return { ending, issues }
  // In a stream, nothing but the result shows that the session is over.
  if (answer) return { ending: 'open', issues }
  // Hooks run before and after turns too.
  context.finalizePending(MAIN)
  return { ending, issues }
}

/**
 * Whether a stream has shown a part of a state that was opened. Only its first message lists the tools, and only a
 * program that asks has an id for a request.
 */
function isOfStream(state: SessionLookups): boolean {
  if (state.facts.tools !== undefined) return true
  const conversations = [MAIN, ...state.agents().map(({ toolUseId }) => toolUseId)]
  return conversations.some((id) =>
    state.pendingBlocks(id).some((block) => block.type === 'request' && !isInferred(block)),
  )
}

/**
 * Completes the agents that have written nothing after their `SubagentStop` hook. The input has ended, and no result
 * reports their end. An agent may write on after the hook, if another hook blocks it.
 */
function completeStoppedAgents(context: ClaudeContext): void {
  const stopped = runningAgents(context).filter(({ toolUseId }) => isStopped(toolUseId, context.state))
  for (const agent of stopped)
    completeAgent(agent, { status: 'completed', output: lastTextOf(agent, context.state) }, context)
}

function isStopped(conversationId: string, state: SessionLookups): boolean {
  const isSign = (block: ConversationBlock) => messageIdOf(block) !== undefined || isStopHook(block)
  const last = state.blocksOf(conversationId).findLast(isSign)
  return last !== undefined && isStopHook(last)
}

function isStopHook(block: ConversationBlock): boolean {
  if (block.type !== 'system' || block.subtype !== 'hook' || block.status !== 'complete') return false
  return asObject(block.data).hookEvent === 'SubagentStop'
}

/**
 * Reads Claude Code and the Claude Agent SDK: messages of `--output-format stream-json`, with or without partial
 * messages, and lines of the files under `projects/`.
 */
export const claudeSource: Source = /* @__PURE__ */ defineSource({
  transcripts: claudeRules,
  notes: NOTES,
  begin: (session) => new TranslationContext<ClaudeNotes>(session),
  translate,
  onBrokenLine: (agentId, context) => {
    if (agentId === undefined) noteBrokenLine(context)
  },
  end,
  open,
})

function translate(message: unknown, context: ClaudeContext): void {
  const read = context.read(message)
  if (!isObject(read)) return context.reportUnknown('unknown-message', 'no object')
  const raw = context.notes.values.renamedCalls.isEmpty ? read : withOwnCall(read, context)
  if (isPlainStreamEvent(raw, context.notes.values)) translatePlainStreamEvent(raw, context)
  else translateMessage(raw, context)
  context.nameSession({ program: CLAUDE_CODE })
}

/**
 * Whether the message is an event of a stream that no buffered line waits for. Such an event is in no file, so it has
 * no place among the lines.
 */
function isPlainStreamEvent({ type }: JsonObject, notes: ClaudeContext['notes']['values']): boolean {
  return type === 'stream_event' && notes.isStream === true && notes.buffered.isEmpty
}

function translatePlainStreamEvent(raw: JsonObject, context: ClaudeContext): void {
  reportOtherSession(raw, context)
  const line = readLine(context, raw)
  if (line.isRepeated) return
  const isOfAgent = line.conversationId !== MAIN
  if (isOfAgent) registerAgentOfLine(line, context)
  translateStreamEvent(line, context)
  rememberLine(line, context)
  // An agent that begins may go on with the answered turn.
  if (isOfAgent) continueOwedTurn(context)
}

/** The types of a stream's messages that hold a part of its session. The session of another message does not matter. */
const SESSION_MESSAGES: ReadonlySet<unknown> = new Set([
  'assistant',
  'result',
  'stream_event',
  'system',
  'user',
])

/**
 * Reports a message of a stream that names another session than the stream's first message, for example because two
 * recordings were joined. The source still translates the message. Lines of files name their session as `sessionId`,
 * and resumed files may change it.
 */
function reportOtherSession(raw: JsonObject, context: ClaudeContext): void {
  const sessionId = asString(raw.session_id)
  const { streamedSession } = context.notes.values
  if (sessionId === undefined || sessionId === streamedSession) return
  if (raw.sessionId !== undefined || !SESSION_MESSAGES.has(raw.type)) return
  // The client sends prompts before it knows the session: they have no uuid, and any session or none.
  if (raw.type === 'user' && raw.uuid === undefined) return
  if (streamedSession === undefined) context.notes.remember({ streamedSession: sessionId })
  else context.reportUnknown('other-session', typeName(raw.type))
}

/** A line that waits to be read, or one whose predecessors have been translated. */
type Step = { readonly raw: JsonObject } | { readonly line: Line }

/**
 * Translates a message with the buffered lines that it releases. Each of those may release further lines, thousands
 * in a row, so they stand in a list and not in calls.
 */
function translateMessage(raw: JsonObject, context: ClaudeContext): void {
  reportOtherSession(raw, context)
  const message = unwrapAgentProgress(raw, context)
  // If the line holds an agent's message, the lines that wait for that agent come first.
  const released = message === raw ? releaseByLiveLine(raw, context) : releaseLinked(message, context)
  const steps: Step[] = [...toSteps(released), { raw: message }].reverse()
  for (let step = steps.pop(); step; step = steps.pop())
    for (const further of stepsAfter(step, context).toReversed()) steps.push(further)
  continueOwedTurn(context)
}

/** Takes a step, and returns the steps that come before all others. A line comes after the buffered lines that it releases. */
function stepsAfter(step: Step, context: ClaudeContext): readonly Step[] {
  if ('line' in step) return followRoute(step.line, context)
  const line = readLine(context, step.raw)
  const ofAgent = releaseByPrompt(line, context)
  // The agent's lines have another conversation now, and this one with them.
  if (ofAgent) return [...toSteps(ofAgent), step]
  const released = releaseBefore(line, context)
  return released.length === 0 ? followRoute(line, context) : [...toSteps(released), { line }]
}

const NO_STEPS: readonly Step[] = []
const NO_LINES: readonly JsonObject[] = []

function toSteps(lines: readonly JsonObject[]): readonly Step[] {
  return lines.length === 0 ? NO_STEPS : lines.map((raw) => ({ raw }))
}

/** Translates, buffers or ignores a line. Returns the lines that it releases. */
function followRoute(line: Line, context: ClaudeContext): readonly Step[] {
  const route = routeLine(line, context)
  switch (route.to) {
    case 'ignore':
      ignoreLine(line, route.reason, context)
      return NO_STEPS
    case 'buffer':
      bufferLine(line, route.group, context.notes)
      return NO_STEPS
    case 'wait-for-parent':
      bufferEarlyLine(line, context.notes)
      return NO_STEPS
    case 'translate':
      translateLine(line, context)
      rememberLine(line, context)
      return toSteps(releaseAfter(line, context))
    default:
      return assertNever(route)
  }
}

function ignoreLine(line: Line, reason: IgnoreReason, context: ClaudeContext): void {
  switch (reason) {
    case 'program-agent':
      return
    case 'repeated':
      rememberRepeatedPlace(line, context)
      // It adds nothing, but it may hold final tokens, or the end of a turn that a reconnect repeats.
      if (line.conversationId === MAIN && isEndOfTurn(line)) repeatTurnEnd(context)
      return updateTokens(line, context)
    case 'no-agent':
      return context.reportUnknown('unplaced-message', typeName(line.raw.type))
    case 'not-conversation':
      return reportUnknownType(line, context)
    default:
      return assertNever(reason)
  }
}

/** Releases the lines of an agent that this line places. They come first, because the line may end the agent. */
function releaseBefore(line: Line, context: ClaudeContext): readonly JsonObject[] {
  const { buffered, earlyLines } = context.notes.values
  if (buffered.isEmpty && earlyLines.isEmpty) return NO_LINES
  if (line.isRepeated || isInlineAgentLine(line) || isProgramAgentLine(line)) return NO_LINES
  translateReleased(releaseEarlyBefore(line, context), context)
  if (context.notes.values.buffered.isEmpty) return NO_LINES
  if (isConversationLine(line)) translateReleased(releaseInlineLines(line, context), context)
  return releaseByResult(line, context)
}

/** Releases the early lines below this one, or those of an agent whose meta file or task this line holds. The line's facts come first. */
function releaseAfter(line: Line, memory: ClaudeMemory): readonly JsonObject[] {
  const { raw } = line
  const below = releaseBelow(line, memory.notes)
  if (below.length > 0) return below
  return raw.type === 'agent_meta' || raw.task_id !== undefined ? releaseLinked(raw, memory) : []
}

function isEndOfTurn({ raw, parts }: Line): boolean {
  return (
    raw.type === 'result' || (raw.type === 'user' && INTERRUPTION_TEXT.test(textsOfParts(parts)[0] ?? ''))
  )
}

/**
 * The reason to ignore a line:
 * - `program-agent`: a line of an agent that the program itself runs, for example to compact the conversation
 * - `repeated`: the source has read it before. It may still hold the final tokens
 * - `no-agent`: a subagent's line inside the session's file, while no agent runs
 * - `not-conversation`: a line of an unlinked agent that is no part of the agent's conversation
 */
type IgnoreReason = 'program-agent' | 'repeated' | 'no-agent' | 'not-conversation'

/**
 * The way that a line takes: the source ignores it for a reason, buffers it in a group or until the line above it
 * comes, or translates it.
 */
export type Route =
  | { readonly to: 'ignore'; readonly reason: IgnoreReason }
  | { readonly to: 'buffer'; readonly group: BufferGroup }
  | { readonly to: 'wait-for-parent' }
  | { readonly to: 'translate' }

const TRANSLATE: Route = { to: 'translate' }

/** Decides what the source does with a line. */
export function routeLine(line: Line, memory: ClaudeMemory): Route {
  if (isProgramAgentLine(line)) return { to: 'ignore', reason: 'program-agent' }
  if (line.isRepeated) return { to: 'ignore', reason: 'repeated' }
  if (isInlineAgentLine(line))
    return mayHaveInlineAgent(memory) ? { to: 'buffer', group: INLINE } : { to: 'ignore', reason: 'no-agent' }
  if (isEarlyLine(line, memory)) return { to: 'wait-for-parent' }
  if (line.agentId === undefined || !isUnlinkedAgentLine(line, memory)) return TRANSLATE
  if (isConversationLine(line)) return { to: 'buffer', group: agentGroup(line.agentId) }
  return { to: 'ignore', reason: 'not-conversation' }
}
