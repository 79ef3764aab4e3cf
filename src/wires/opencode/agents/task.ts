import { omitUndefined } from '../../../core/json/fields.ts'
import { durationOf, isoTime } from '../../../core/json/iso-time.ts'
import { compareStrings } from '../../../core/json/lists.ts'
import { asObject, asString, type JsonObject } from '../../../core/json/values.ts'
import { type BlockOf, type ConversationBlock, isPrompt, subagentBlockId } from '../../../core/state/block.ts'
import { extractReport, messageIdOfError, parseTaskTag } from '../../../programs/opencode/tool-result.ts'
import type { SessionOutput } from '../../../reading/context.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { hasResult } from '../../kit/blocks.ts'
import { type CallUpdate, translateTool } from '../blocks/tool.ts'
import type { OpencodeContext } from '../context.ts'
import { type MessageRef, noteSession, type SessionPlace, sessionNote } from '../place.ts'
import { resolveRequests } from '../requests.ts'
import { locateSession } from '../routing/session-location.ts'
import { isUnlinked } from '../turn.ts'

/** Translates a subagent's call: pending, started or resumed, completed. Its messages come from its own session. */
export function translateTask(ref: MessageRef, call: CallUpdate, context: OpencodeContext): void {
  const { update, toolUseId } = call
  const state = asObject(update.part.state)
  if (!isTargetKnown(state)) return announceAgent(ref, toolUseId, context)
  const resumedCallId = findResumedCall(toolUseId, state, context.state)
  const hasEnded = hasResult(ref.conversationId, toolUseId, context.state)
  if (resumedCallId === undefined) startAgent(ref, call, context)
  else resumeAgent(ref, { ...call, resumedCallId }, context)
  if (state.status !== 'completed' && state.status !== 'error') return
  resolveRequests(ref, update.part, toolUseId, context)
  if (resumedCallId === undefined) completeRun(toolUseId, { runId: toolUseId, state }, context)
  // A call that has ended before repeats the end of an earlier run.
  else if (!hasEnded) completeRun(resumedCallId, { state }, context)
}

/**
 * Whether the call's state reveals if the call starts or resumes a subagent. Input with a `task_id` asks to resume
 * one, but that one may be gone: only `metadata.sessionId` or the result decides.
 */
function isTargetKnown({ status, input, metadata }: JsonObject): boolean {
  if (status === 'completed' || status === 'error') return true
  if (typeof asObject(metadata).sessionId === 'string') return true
  const { prompt, task_id } = asObject(input)
  return status === 'running' && typeof prompt === 'string' && task_id === undefined
}

/** Shows a call that the model is still writing. Its input is not known yet. */
function announceAgent(
  { conversationId, messageId }: MessageRef,
  toolUseId: string,
  output: SessionOutput,
): void {
  // A repeated event must not announce a call again that has become another tool's.
  if (output.state.agentOfCall(toolUseId) || output.state.findBlock(conversationId, toolUseId)) return
  const id = subagentBlockId(toolUseId)
  output.upsert(conversationId, {
    type: 'subagent',
    id,
    status: 'pending',
    toolUseId,
    input: '',
    messageId,
  })
}

/** Returns the call that started the subagent, if the given call resumes it. An agent without a known call has its session's id. */
function findResumedCall(
  toolUseId: string,
  { input, metadata }: JsonObject,
  state: SessionLookups,
): string | undefined {
  const agentId = asString(asObject(metadata).sessionId) ?? asString(asObject(input).task_id)
  const startingCallId = agentId === undefined ? undefined : state.findAgent(agentId)?.toolUseId
  return startingCallId === toolUseId || startingCallId === agentId ? undefined : startingCallId
}

function startAgent(ref: MessageRef, { update, toolUseId }: CallUpdate, context: OpencodeContext): void {
  const { input, metadata, time } = asObject(update.part.state)
  const { prompt: text, description, subagent_type } = asObject(input)
  const before = context.state.agentOfCall(toolUseId)
  const agentId = asString(asObject(metadata).sessionId) ?? before?.agentId
  const prompt = asString(text) ?? before?.prompt ?? ''
  const isStarted = before !== undefined && !context.state.isAnnounced(toolUseId)
  if (isStarted && before.agentId === agentId && (before.prompt ?? '') === prompt) return
  const { conversationId, messageId } = ref
  context.emit({
    type: 'subagent:spawned',
    conversationId,
    toolUseId,
    prompt,
    subagentType: asString(subagent_type),
    description: asString(description),
    agentId,
    runId: toolUseId,
    messageId,
    timestamp: isoTime(asObject(time).start),
  })
  if (agentId !== undefined) linkSession(agentId, context)
}

/** The state shows the place of a session whose call is known. */
function linkSession(sessionId: string, context: OpencodeContext): void {
  const { parentId, turn, title } = sessionNote(sessionId, context.notes.values)
  if (parentId !== undefined || turn !== undefined || title !== undefined)
    noteSession(sessionId, { parentId: undefined, turn: undefined, title: undefined }, context.notes)
  context.reveal(sessionId)
}

/** Shows a resuming call as an ordinary tool call. The subagent's block stays at the call that started it. */
function resumeAgent(
  ref: MessageRef,
  call: CallUpdate & { readonly resumedCallId: string },
  context: OpencodeContext,
): void {
  const { update, toolUseId, resumedCallId } = call
  const isFirstUpdate = context.state.findBlock(ref.conversationId, toolUseId)?.type !== 'tool_use'
  if (isFirstUpdate) takeBackTask(ref, toolUseId, context)
  translateTool(ref, call, context)
  // A running subagent takes the prompt into its current run.
  if (!isFirstUpdate || !context.state.hasEnded(resumedCallId)) return
  const prompt = asString(asObject(asObject(update.part.state).input).prompt)
  context.emit({ type: 'subagent:resumed', toolUseId: resumedCallId, runId: toolUseId, prompt })
}

/**
 * Takes back the announced subagent of a part that now is a call of another tool: OpenCode turns a `task` with wrong
 * arguments into the tool `invalid`. A subagent that has started stays.
 */
export function takeBackTask({ conversationId }: MessageRef, toolUseId: string, output: SessionOutput): void {
  if (!output.state.isAnnounced(toolUseId)) return
  output.emit({ type: 'block:removed', conversationId, blockId: subagentBlockId(toolUseId) })
}

interface RunEnd {
  /** The run, if it need not be the current one. */
  readonly runId?: string
  /** The state of the call that has ended. */
  readonly state: JsonObject
}

/** Completes the current run of a subagent with the result of a call. The end of an earlier run changes nothing. */
function completeRun(toolUseId: string, { runId, state }: RunEnd, session: SessionOutput): void {
  const isError = state.status === 'error'
  const output = asString(isError ? state.error : state.output) ?? ''
  // OpenCode answers a background call at once. The subagent's report arrives later as a notification.
  if (!isError && parseTaskTag(output)?.state === 'running') return
  const { start, end } = asObject(state.time)
  const report = isError ? output : extractReport(output)
  const error = isError ? report : errorBehind(report, toolUseId, session.state)
  completeAgent(
    toolUseId,
    omitUndefined({
      runId,
      status: error === undefined ? 'completed' : 'error',
      output: error ?? report,
      durationMs: durationOf(start, end),
    }),
    session,
  )
}

/**
 * Returns the error of the agent's last message, if the report is what that message has of a text. Before 1.18.20,
 * OpenCode completes the call of an agent that failed.
 */
function errorBehind(report: string, toolUseId: string, state: SessionLookups): string | undefined {
  const lastOfRun = (type: ConversationBlock['type']) =>
    state.blocksOf(toolUseId).findLast((block) => block.type === type || isPrompt(block))
  const error = lastOfRun('error')
  if (error?.type !== 'error') return undefined
  const last = lastOfRun('assistant_text')
  const isOfMessage = last?.type === 'assistant_text' && last.messageId === messageIdOfError(error.id)
  return report === (isOfMessage ? last.content : '') ? error.message : undefined
}

/** Ends an agent's run as an error if its call was completed before the agent's failure was read, as in an export. */
export function reviseEnd({ conversationId }: SessionPlace, session: SessionOutput): void {
  const agent = session.state.agentOfCall(conversationId)
  if (agent?.status !== 'success') return
  const { toolUseId, output = '', durationMs } = agent
  const error = errorBehind(output, toolUseId, session.state)
  if (error !== undefined)
    completeAgent(toolUseId, omitUndefined({ status: 'error', output: error, durationMs }), session)
}

interface AgentEnd {
  readonly runId?: string
  readonly status: 'completed' | 'error'
  readonly output: string
  readonly durationMs?: number
}

function completeAgent(toolUseId: string, end: AgentEnd, output: SessionOutput): void {
  const { agentId, runId = toolUseId } = output.state.agentOfCall(toolUseId) ?? {}
  if (end.runId !== undefined && end.runId !== runId) return
  output.emit({ type: 'subagent:completed', toolUseId, agentId, ...end, runId })
}

/** Whether a synthetic user text reports the end of a background subagent. */
export function isTaskNotification(text: string): boolean {
  return parseTaskTag(text) !== undefined
}

/** Completes the background subagent whose end the notification reports. */
export function completeFromNotification(text: string, output: SessionOutput): void {
  const { id = '', state } = parseTaskTag(text) ?? {}
  const toolUseId = output.state.findAgent(id)?.toolUseId
  if (toolUseId === undefined || toolUseId === id || state === 'running') return
  const status = state === 'completed' ? 'completed' : 'error'
  completeAgent(toolUseId, { status, output: extractReport(text) }, output)
}

/** Completes the run of a subagent whose call is not known: its session is idle, and no call will report the end. */
export function completeUnlinkedAgent(place: SessionPlace, context: OpencodeContext): void {
  const { sessionId } = place
  const { turn } = sessionNote(sessionId, context.notes.values)
  if (!isUnlinked(place) || turn === undefined || context.state.hasEnded(sessionId)) return
  const status = turn === 'failed' ? 'error' : 'completed'
  context.emit({ type: 'subagent:completed', toolUseId: sessionId, status })
}

/** Runs a completed subagent without a known call again: its session begins a new message. */
export function resumeUnlinkedAgent(place: SessionPlace, output: SessionOutput): void {
  const { sessionId } = place
  if (isUnlinked(place) && output.state.hasEnded(sessionId))
    output.emit({ type: 'subagent:resumed', toolUseId: sessionId })
}

/**
 * Links subagents whose call is not known to their parent conversation, which their session names. A reverted call is
 * one cause. Completes those whose last message has ended: an export has no idle events. Returns the session ids of
 * these subagents, the oldest first. A call that was stopped before it named its session has the prompt of that
 * session: it has the subagent.
 */
export function spawnUnlinkedAgents(context: OpencodeContext): readonly string[] {
  const unlinked = context.notes.values.sessions
    .entries()
    .filter(([, { turn }]) => turn !== undefined)
    // OpenCode makes descending session ids: the newest session sorts first.
    .sort(([left], [right]) => compareStrings(right, left))
  return unlinked.flatMap(([id, { parentId = '', turn, title }]) => {
    const parent = parentId === '' ? undefined : locateSession(parentId, context)
    const conversationId = parent?.type === 'conversation' ? parent.conversationId : undefined
    const call =
      conversationId === undefined ? undefined : callWithPromptOf(id, conversationId, context.state)
    if (call) {
      const { toolUseId, input: prompt } = call
      const agent = { toolUseId, agentId: id, prompt, runId: toolUseId }
      context.emit({ type: 'subagent:spawned', conversationId: call.conversationId, ...agent })
      linkSession(id, context)
      return []
    }
    if (turn !== 'running') completeUnlinkedAgent({ sessionId: id, conversationId: id }, context)
    if (conversationId !== undefined)
      context.emit({
        type: 'subagent:spawned',
        conversationId,
        toolUseId: id,
        prompt: '',
        ...namesInTitle(title),
      })
    return [id]
  })
}

/** Reads what the title of an agent's session repeats of its call, such as `Docs check (@general subagent)`. */
function namesInTitle(title = ''): { readonly description?: string; readonly subagentType?: string } {
  const [, description, subagentType] = /^(.*) \(@([^()\s]+) subagent\)$/.exec(title) ?? []
  return omitUndefined({ description, subagentType })
}

/** Returns the oldest call without a session that has the first prompt of a session. */
function callWithPromptOf(
  sessionId: string,
  conversationId: string,
  state: SessionLookups,
): BlockOf<'subagent'> | undefined {
  const prompt = state.blocksOf(sessionId).find(isPrompt)?.content
  for (const block of state.blocksOf(conversationId))
    if (block.type === 'subagent' && block.agentId === undefined && block.input === prompt) return block
  return undefined
}
