import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, type JsonObject } from '../../../json/values.ts'
import { subagentBlockId } from '../../../state/block.ts'
import { type MessageRef, type PartUpdate, rememberPart } from '../blocks/known-message.ts'
import { callIdOf, translateTool } from '../blocks/tool.ts'
import type { OpencodeContext } from '../context.ts'
import { durationOf, isoTime } from '../events/time.ts'
import { completeRun, rememberTask, reportIn, taskOf, taskTag } from './task-run.ts'

/** A subagent's call is its key in the whole session. */
const SESSION = ''

/** Whether the part is a call that starts a subagent, or has one go on. */
export function isTask({ tool }: JsonObject): boolean {
  return tool === 'task'
}

/** A subagent's call: announced, running and answered. The subagent's own session tells the rest. */
export function translateTask(ref: MessageRef, update: PartUpdate, translation: OpencodeContext): void {
  const { part, id } = update
  const callId = callIdOf(part, { partId: id, scope: SESSION }, translation)
  const state = asObject(part.state)
  if (!isTold(state)) return announceTask(ref, { callId, partId: id }, translation)
  const owner = ownerOf(callId, state, translation)
  if (owner !== undefined) resumeTask(ref, { update, callId, owner }, translation)
  else startTask(ref, { update, callId }, translation)
  if (state.status === 'completed' || state.status === 'error') answerTask(callId, state, translation)
}

/** A call that names a task has it go on, if that is still there: only the session tells, or the answer. */
function isTold({ status, input, metadata }: JsonObject): boolean {
  if (status === 'completed' || status === 'error') return true
  if (typeof asObject(metadata).sessionId === 'string') return true
  const { prompt, task_id } = asObject(input)
  return status === 'running' && typeof prompt === 'string' && task_id === undefined
}

/** While the model writes the call, nothing is known of it. */
function announceTask(
  ref: MessageRef,
  { callId, partId }: { readonly callId: string; readonly partId: string },
  translation: OpencodeContext,
): void {
  if (translation.memory.tasks.get(callId)) return
  const { conversationId, messageId } = ref
  const id = subagentBlockId(callId)
  rememberTask(taskOf(callId, translation), translation)
  rememberPart(ref, { id: partId, blockIds: [id], callId }, translation)
  translation.upsert(conversationId, {
    type: 'subagent',
    id,
    status: 'pending',
    toolUseId: callId,
    input: '',
    messageId,
  })
}

/** The call that started the subagent, if this one has it go on. */
function ownerOf(
  callId: string,
  { input, metadata }: JsonObject,
  { memory }: OpencodeContext,
): string | undefined {
  const agentId = asString(asObject(metadata).sessionId) ?? asString(asObject(input).task_id)
  const owner = agentId === undefined ? undefined : memory.callIds.get(agentId)
  return owner === callId ? undefined : owner
}

function startTask(
  ref: MessageRef,
  { update, callId }: { readonly update: PartUpdate; readonly callId: string },
  translation: OpencodeContext,
): void {
  const { input, metadata, time } = asObject(update.part.state)
  const { prompt, description, subagent_type } = asObject(input)
  const before = taskOf(callId, translation)
  const agentId = asString(asObject(metadata).sessionId) ?? before.agentId
  const task = omitUndefined({
    ...before,
    agentId,
    prompt: asString(prompt) ?? before.prompt,
    isStarted: true,
  })
  if (before.isStarted && before.agentId === agentId && before.prompt === task.prompt) return
  const { conversationId, messageId } = ref
  rememberTask(task, translation)
  rememberPart(ref, { id: update.id, blockIds: [subagentBlockId(callId)], callId }, translation)
  if (agentId !== undefined)
    translation.remember({ callIds: translation.memory.callIds.with(agentId, callId) })
  translation.emit(
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

interface ResumingCall {
  readonly update: PartUpdate
  readonly callId: string
  readonly owner: string
}

/** A call that has a subagent go on is a call like others; the subagent stays where it is. */
function resumeTask(
  ref: MessageRef,
  { update, callId, owner }: ResumingCall,
  translation: OpencodeContext,
): void {
  const before = translation.memory.tasks.get(callId)
  if (before && before.resumes === undefined)
    translation.emit({
      type: 'block:removed',
      conversationId: ref.conversationId,
      blockId: subagentBlockId(callId),
    })
  translateTool(ref, update, translation)
  if (before?.resumes !== undefined) return
  const task = taskOf(owner, translation)
  // One that still runs takes the prompt into the run that it is in.
  const runId = task.isSettled ? callId : task.runId
  const call = { ...taskOf(callId, translation), resumes: owner, runId, isStarted: true, isSettled: true }
  rememberTask(call, translation)
  if (!task.isSettled) return
  rememberTask({ ...task, runId, isSettled: false }, translation)
  const prompt = asString(asObject(asObject(update.part.state).input).prompt)
  translation.emit(omitUndefined({ type: 'subagent:resumed', toolUseId: owner, runId, prompt }))
}

function answerTask(callId: string, state: JsonObject, translation: OpencodeContext): void {
  const call = taskOf(callId, translation)
  const isError = state.status === 'error'
  const said = asString(isError ? state.error : state.output) ?? ''
  // A subagent in the background is answered for at once; its report comes later.
  if (!isError && taskTag(said)?.state === 'running') return
  const { start, end } = asObject(state.time)
  completeRun(
    call.resumes ?? callId,
    omitUndefined({
      runId: call.resumes === undefined ? callId : call.runId,
      status: isError ? 'error' : 'completed',
      output: isError ? said : reportIn(said),
      durationMs: durationOf(start, end),
    }),
    translation,
  )
}
