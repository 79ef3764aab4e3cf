import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, asString, isObject, isString, parseJson } from '../../../json/values.ts'
import { withChanges } from '../../../json/with-changes.ts'
import { isFailureText, isRefusalText, readCommandOutput } from '../../../programs/codex/command.ts'
import { patchChanges, patchInput, readPatchText } from '../../../programs/codex/patch-text.ts'
import { COMMAND, FILE_CHANGE, IMAGE_VIEW, WEB_SEARCH } from '../../../programs/codex/tool-names.ts'
import { MAIN } from '../../../state/session.ts'
import { announceAgent, failAnnouncedAgent, linkAgent } from '../agents/spawn.ts'
import type { CodexContext } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { StoredCall } from '../items/stored-call.ts'
import type { KnownItem } from '../memory.ts'
import { reportPlan } from './plan.ts'
import { type CallResult, callBlock, REFUSED, showResult } from './tool.ts'

/** Shows a call as the model wrote it. Its item, with the time and the result, may follow. */
export function showStoredCall(threadId: string, event: CodexEventOf<'call'>, context: CodexContext): void {
  const { call, output } = event
  if (call.toolName === WEB_SEARCH && isReportedSearch(threadId, context)) return
  const callId = call.id === '' ? context.nextUnnamedId(threadId) : call.id
  showCall(threadId, { ...call, id: callId }, event.time, context)
  if (output !== undefined) showStoredOutput(threadId, { ...event, type: 'output', callId, output }, context)
}

/** Whether an event has reported the search whose entry follows. The entry may have no id. */
function isReportedSearch(threadId: string, context: CodexContext): boolean {
  const { searches = 0 } = context.factsOf(threadId)
  if (searches > 0) context.updateThread(threadId, { searches: searches - 1 })
  return searches > 0
}

function showCall(threadId: string, call: StoredCall, time: string | undefined, context: CodexContext): void {
  const { id, toolName, patch, todos, agent } = call
  if (context.item(threadId, id)) return
  if (todos) {
    context.updateItem(threadId, id, { role: 'plan' })
    if (context.conversationOf(threadId) === MAIN) context.startTurn(time)
    return reportPlan(threadId, todos, context)
  }
  if (agent) return announceAgent(threadId, { callId: id, ...agent }, context)
  const input = patch === undefined ? call.input : patchInput(readPatchText(patch, context.facts.cwd))
  const block = callBlock({ id, toolName, input }, 'pending')
  context.updateItem(threadId, id, { call: block, time, patch })
  context.showWork(threadId, block, time)
}

/** Shows the result of a call as the model reads it, unless an item has reported the result. */
export function showStoredOutput(
  threadId: string,
  event: CodexEventOf<'output'>,
  context: CodexContext,
): void {
  const { callId, output, time } = event
  const item = context.item(threadId, callId)
  if (item?.endedBy || item?.role === 'plan' || (!item && isPlanOutput(output))) return
  if (item?.role === 'agent') return readSpawnOutput(threadId, event, context)
  const result = resultOf(item, output, context)
  if (result.isRunning) return
  context.endItem(threadId, callId, 'output')
  const status = result.isError ? 'error' : 'complete'
  if (item?.call) {
    const { timestamp: known, ...call } = item.call
    // A client gets other times of a refused call.
    const timestamp = result.isRefused ? undefined : (item.time ?? known)
    context.show(threadId, withChanges(call, omitUndefined({ status, timestamp })))
  }
  const resultTime = result.isRefused ? undefined : time
  showResult(threadId, { ...result, toolUseId: callId, time: resultTime }, context)
}

/** Whether the output is that of a plan. After a resume, its call is not known. */
function isPlanOutput(output: unknown): boolean {
  return textOf(output) === 'Plan updated'
}

/** The output of a call that starts an agent names its thread, or states why there is none. */
function readSpawnOutput(
  threadId: string,
  { callId, output }: CodexEventOf<'output'>,
  context: CodexContext,
): void {
  const { agent_id, task_name } = asObject(isString(output) ? parseJson(output) : output)
  const agentId = asString(agent_id)
  if (agentId !== undefined) linkAgent(threadId, { callId, agentId }, context)
  else if (task_name === undefined) failAnnouncedAgent(threadId, { callId, output: textOf(output) }, context)
}

type StoredResult = Omit<CallResult, 'toolUseId' | 'time'> & {
  readonly isRunning?: boolean
  readonly isRefused?: true
}

function resultOf(item: KnownItem | undefined, output: unknown, context: CodexContext): StoredResult {
  const { toolName } = item?.call ?? {}
  const text = textOf(output)
  if (isRefusalText(text)) return { output: REFUSED, isError: true, isRefused: true }
  if (toolName === COMMAND) return readCommandOutput(unwrapped(text))
  if (toolName === FILE_CHANGE) return patchResult(item?.patch ?? '', text, context)
  if (toolName === IMAGE_VIEW && !isFailureText(text)) return { output: '', isError: false }
  return { output: output ?? '', isError: isFailureText(text) || asObject(output).success === false }
}

/** Returns the result of a patch. Only a patch that was applied has changes. */
function patchResult(patch: string, text: string, context: CodexContext): StoredResult {
  const { output, isError } = readCommandOutput(unwrapped(text))
  if (isError || /^apply_patch verification failed/.test(text)) return { output, isError: true }
  return { output: '', isError: false, changes: patchChanges(readPatchText(patch, context.facts.cwd)) }
}

/** Earlier versions write the output as JSON with an exit code. Returns it in the words of later ones. */
function unwrapped(text: string): string {
  const value = text.startsWith('{') ? asObject(parseJson(text)) : {}
  const output = asString(value.output)
  const code = asObject(value.metadata).exit_code
  return output === undefined ? text : `Exit code: ${String(code ?? 0)}\nOutput:\n${output}`
}

/** Returns the text of an output: a text, a list of parts, or an object with a `content`. */
function textOf(output: unknown): string {
  if (isString(output)) return output
  if (Array.isArray(output)) return output.map((part) => asString(asObject(part).text) ?? '').join('')
  return isObject(output) ? (asString(output.content) ?? '') : ''
}
