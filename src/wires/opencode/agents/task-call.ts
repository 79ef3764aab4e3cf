import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { opencode } from '../../../programs/opencode/program.ts'
import { extractReport, parseTaskTag } from '../../../programs/opencode/task-output.ts'
import { durationOf, isoTime } from '../../../session/time.ts'
import { subagentBlockId } from '../../../state/block.ts'
import { translateTool, uniqueCallId } from '../blocks/tool.ts'
import type { OpencodeContext } from '../context.ts'
import type { KnownTask } from '../memory.ts'
import { findPart, rememberPart } from '../records/message.ts'
import { WHOLE_INPUT } from '../records/resumed.ts'
import { forgetUnstartedTask, knownTask, rememberTask } from '../records/task.ts'
import { resolveRequests } from '../requests/resolve.ts'
import type { MessageRef, PartUpdate } from '../routing/event-place.ts'
import { completeRun } from './task-run.ts'

/** Whether the part is a call that starts or resumes a subagent. */
export function isTask({ tool }: JsonObject): boolean {
  return opencode.tools.agent.includes(asString(tool) ?? '')
}

/** Translates a subagent's call: pending, started or resumed, completed. Its messages come from its own session. */
export function translateTask(ref: MessageRef, update: PartUpdate, context: OpencodeContext): void {
  const { part, id } = update
  const callId = uniqueCallId(part, { partId: id, scope: WHOLE_INPUT, messageId: ref.messageId }, context)
  const call = { update, callId }
  const state = asObject(part.state)
  if (!isTargetKnown(state)) return upsertPendingSubagent(ref, call, context)
  const resumedCallId = findResumedCall(callId, state, context)
  if (resumedCallId === undefined) startTask(ref, call, context)
  else resumeTask(ref, { ...call, resumedCallId }, context)
  if (state.status !== 'completed' && state.status !== 'error') return
  resolveRequests(ref, part, callId, context)
  completeTask(callId, state, context)
}

/**
 * Whether the call's state reveals if the call starts or resumes a subagent. Input with a `task_id` asks to resume one, but
 * that one may be gone: only `metadata.sessionId` or the result decides.
 */
function isTargetKnown({ status, input, metadata }: JsonObject): boolean {
  if (status === 'completed' || status === 'error') return true
  if (typeof asObject(metadata).sessionId === 'string') return true
  const { prompt, task_id } = asObject(input)
  return status === 'running' && typeof prompt === 'string' && task_id === undefined
}

interface TaskCall {
  readonly update: PartUpdate
  readonly callId: string
}

/** Shows a call that the model is still writing. Its input is not known yet. */
function upsertPendingSubagent(
  ref: MessageRef,
  { update, callId }: TaskCall,
  context: OpencodeContext,
): void {
  // A repeated event must not announce a call again that has become another tool's.
  if (context.memory.tasks.get(callId) || findPart(ref, update.id, context)?.isFinal === true) return
  const { conversationId, messageId } = ref
  const id = subagentBlockId(callId)
  rememberTask(knownTask(callId, context), context)
  rememberPart(ref, { id: update.id, blockIds: [id], subagentCallId: callId }, context)
  context.upsert(conversationId, {
    type: 'subagent',
    id,
    status: 'pending',
    toolUseId: callId,
    input: '',
    messageId,
  })
}

/** Returns the call that started the subagent, if the given call resumes it. */
function findResumedCall(
  callId: string,
  { input, metadata }: JsonObject,
  { memory }: OpencodeContext,
): string | undefined {
  const agentId = asString(asObject(metadata).sessionId) ?? asString(asObject(input).task_id)
  const startingCallId = agentId === undefined ? undefined : memory.callIdBySession.get(agentId)
  return startingCallId === callId ? undefined : startingCallId
}

function startTask(ref: MessageRef, { update, callId }: TaskCall, context: OpencodeContext): void {
  const { input, metadata, time } = asObject(update.part.state)
  const { prompt, description, subagent_type } = asObject(input)
  const before = knownTask(callId, context)
  const agentId = asString(asObject(metadata).sessionId) ?? before.agentId
  const facts = omitUndefined({ agentId, prompt: asString(prompt), isStarted: true })
  const task: KnownTask = withChanges(before, facts)
  if (before.isStarted && before.agentId === agentId && before.prompt === task.prompt) return
  const { conversationId, messageId } = ref
  rememberTask(task, context)
  rememberPart(ref, { id: update.id, blockIds: [subagentBlockId(callId)], subagentCallId: callId }, context)
  if (agentId !== undefined) {
    context.setEntry('callIdBySession', agentId, callId)
    context.reveal(agentId)
  }
  context.emit(
    omitUndefined({
      type: 'subagent:spawned',
      conversationId,
      toolUseId: callId,
      prompt: task.prompt ?? '',
      subagentType: asString(subagent_type),
      description: asString(description),
      agentId,
      runId: callId,
      messageId,
      timestamp: isoTime(asObject(time).start),
    }),
  )
}

/** Shows a resuming call as an ordinary tool call. The subagent's block stays at the call that started it. */
function resumeTask(
  ref: MessageRef,
  { update, callId, resumedCallId }: TaskCall & { readonly resumedCallId: string },
  context: OpencodeContext,
): void {
  const call = context.memory.tasks.get(callId)
  const isFirstUpdate = call?.resumedCallId === undefined
  if (call && isFirstUpdate) removePendingSubagent(ref, callId, context)
  translateTool(ref, update, context)
  if (!isFirstUpdate) return
  const resumed = knownTask(resumedCallId, context)
  // A running subagent takes the prompt into its current run.
  const runId = resumed.hasEnded ? callId : resumed.runId
  const facts = { resumedCallId, runId, isStarted: true, hasEnded: true }
  rememberTask(withChanges(knownTask(callId, context), facts), context)
  if (!resumed.hasEnded) return
  rememberTask(withChanges(resumed, { runId, hasEnded: false }), context)
  const prompt = asString(asObject(asObject(update.part.state).input).prompt)
  context.emit(omitUndefined({ type: 'subagent:resumed', toolUseId: resumedCallId, runId, prompt }))
}

/**
 * Takes back the announced subagent of a part that now is a call of another tool: OpenCode turns a `task` with wrong arguments into
 * the tool `invalid`. A subagent that has started stays.
 */
export function takeBackTask(ref: MessageRef, partId: string, context: OpencodeContext): void {
  const callId = findPart(ref, partId, context)?.subagentCallId
  if (callId === undefined || context.memory.tasks.get(callId)?.isStarted !== false) return
  forgetUnstartedTask(callId, context)
  removePendingSubagent(ref, callId, context)
}

function removePendingSubagent(
  { conversationId }: MessageRef,
  callId: string,
  context: OpencodeContext,
): void {
  context.emit({ type: 'block:removed', conversationId, blockId: subagentBlockId(callId) })
}

function completeTask(callId: string, state: JsonObject, context: OpencodeContext): void {
  const { resumedCallId, runId } = knownTask(callId, context)
  const isError = state.status === 'error'
  const output = asString(isError ? state.error : state.output) ?? ''
  // OpenCode answers a background call at once. The subagent's report arrives later as a notification.
  if (!isError && parseTaskTag(output)?.state === 'running') return
  const { start, end } = asObject(state.time)
  completeRun(
    resumedCallId ?? callId,
    omitUndefined({
      runId: resumedCallId === undefined ? callId : runId,
      status: isError ? 'error' : 'completed',
      output: isError ? output : extractReport(output),
      durationMs: durationOf(start, end),
    }),
    context,
  )
}
