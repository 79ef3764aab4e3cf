import { omitUndefined, withChanges } from '../../../core/json/fields.ts'
import { asArray, asObject, asString, isObject, isString, parseJson } from '../../../core/json/values.ts'
import { type BlockOf, toolResultBlockId } from '../../../core/state/block.ts'
import { textOfContent } from '../../../core/state/content.ts'
import { MAIN } from '../../../core/state/session.ts'
import type { Todo } from '../../../core/state/todo.ts'
import { type AgentState, agentStates, statesByAgent } from '../../../programs/codex/agent-call.ts'
import { isFailureText, isRefusalText, readCommandOutput } from '../../../programs/codex/command.ts'
import { patchChanges, patchInput, readPatchText } from '../../../programs/codex/file-change.ts'
import { hasImage } from '../../../programs/codex/mcp.ts'
import {
  COMMAND,
  FILE_CHANGE,
  IMAGE_VIEW,
  WAIT_AGENT,
  WEB_SEARCH,
} from '../../../programs/codex/tool-names.ts'
import type { SessionLookups } from '../../../reading/lookups.ts'
import { type ResultFacts, statusOf } from '../../kit/blocks.ts'
import { announceAgent, failAnnounced, linkAgent, readAgentCallEnd } from '../agents/run.ts'
import type { CodexContext, CodexMemory } from '../context.ts'
import type { CodexEventOf } from '../events/event.ts'
import type { StoredCall } from '../items/stored-call.ts'
import { addOutput, noteProcess, readPoll, WRITE_STDIN } from './command.ts'
import { blockOfItem, showEnd } from './tool.ts'

type UntimedCall = Omit<BlockOf<'tool_use'>, 'timestamp'> & { readonly timestamp?: string | undefined }

/** Shows a call as the model wrote it. Its item, with the time and the result, may follow. */
export function showStoredCall(threadId: string, event: CodexEventOf<'call'>, context: CodexContext): void {
  const { call, output } = event
  if (call.toolName === WEB_SEARCH && isReportedSearch(threadId, context)) return
  const callId = call.id === '' ? context.nextUnnamedId(threadId) : call.id
  showCall(threadId, { ...call, id: callId }, event.time, context)
  if (output !== undefined) showStoredOutput(threadId, { ...event, type: 'output', callId, output }, context)
}

/** Whether an event has reported the search whose entry follows. The entry may have no id. */
function isReportedSearch(threadId: string, memory: CodexMemory): boolean {
  const key = memory.threadKey(threadId)
  const searches = memory.notes.values.searches.get(key)
  if (searches === undefined) return false
  memory.notes.setEntry('searches', key, searches > 1 ? searches - 1 : undefined)
  return true
}

function showCall(threadId: string, call: StoredCall, time: string | undefined, context: CodexContext): void {
  const { id, toolName, patch, todos, agent } = call
  if (context.isKnownItem(threadId, id)) return
  if (todos) {
    context.notes.setEntry('planCalls', context.itemKey(threadId, id), true)
    if (context.isMain(threadId)) context.startWork(time)
    return reportPlan(threadId, todos, context)
  }
  if (agent) return announceAgent(threadId, { callId: id, ...agent }, context)
  if (patch !== undefined) context.notes.setEntry('patches', context.itemKey(threadId, id), patch)
  const input = patch === undefined ? call.input : patchInput(readPatchText(patch, context.state.facts.cwd))
  context.showWork(threadId, blockOfItem({ id, toolName, input, startedAt: time }, 'pending'), time)
}

/** Reports the plan of a conversation. */
export function reportPlan(threadId: string, todos: readonly Todo[], context: CodexContext): void {
  context.emit({ type: 'todos:updated', conversationId: context.conversationOf(threadId), todos })
}

/** Shows the result of a call as the model reads it, unless an item has reported the result. */
export function showStoredOutput(
  threadId: string,
  event: CodexEventOf<'output'>,
  context: CodexContext,
): void {
  const { callId, output, time } = event
  const known = context.blockOf(threadId, callId)
  const call = known?.type === 'tool_use' ? known : undefined
  // The item of a call that looks at an image comes before the output with the image.
  const isImage = hasImage(output)
  const isSeen = isImage && call?.toolName === IMAGE_VIEW
  const isDone = !isSeen && context.isDone(threadId, toolResultBlockId(callId))
  if (isDone || isOfPlan(threadId, event, call, context)) return
  // A call of an agent may have the id of the call that started the agent.
  const agent = call ? undefined : context.state.agentOfCall(callId)
  if (agent) return agent.agentId === undefined ? readSpawnOutput(threadId, event, context) : undefined
  const patch = context.notes.values.patches.get(context.itemKey(threadId, callId))
  const { processId, isRefused, ...result } = resultOf(
    { toolName: isImage ? undefined : call?.toolName, patch, output },
    context.state,
  )
  if (call?.toolName === WRITE_STDIN)
    readPoll(threadId, { ...result, processId, input: call.input, timestamp: time }, context)
  else if (processId !== undefined && isString(result.output)) {
    // A repeated answer adds no output.
    if (noteProcess(threadId, { processId, callId }, context))
      addOutput(threadId, { callId, output: result.output }, context)
    return
  }
  const states = call && isString(output) ? readStoredAgents(call, output, context) : []
  const status = statusOf(result.isError)
  // A client gets other times of a refused call.
  const timestamp = isRefused ? undefined : call?.timestamp
  const ended = call && omitUndefined(withChanges<UntimedCall>(call, { status, timestamp }))
  const facts = { ...result, toolUseId: callId, timestamp: isRefused ? undefined : time }
  const shown = states.length > 0 ? { ...facts, output: statesByAgent(states) } : facts
  showEnd(threadId, { call: ended, result: shown }, context)
}

/** Reads the states of agents. Versions without items have them in the output of a call. */
function readStoredAgents(
  { toolName, input }: BlockOf<'tool_use'>,
  output: string,
  context: CodexContext,
): readonly AgentState[] {
  const agentIds = asArray(asObject(input).agentIds).filter(isString)
  const [agentId] = agentIds
  const { status, previous_status } = asObject(parseJson(output))
  const byAgent =
    toolName === WAIT_AGENT || agentId === undefined ? status : { [agentId]: previous_status ?? status }
  const states = agentStates(byAgent)
  readAgentCallEnd({ toolName, agentIds, states, status: 'completed' }, context)
  return states
}

/** Whether the output is that of a call that wrote a plan. The state does not have such calls. */
function isOfPlan(
  threadId: string,
  { callId, output }: CodexEventOf<'output'>,
  call: BlockOf<'tool_use'> | undefined,
  memory: CodexMemory,
): boolean {
  if (call || memory.state.agentOfCall(callId)) return false
  const { planCalls, isOpened, turns } = memory.notes.values
  // In the turn that a state alone was cut in, only a call that wrote a plan is not known: it has no block.
  const isOfCutTurn = isOpened === true && turns.get(memory.isMain(threadId) ? MAIN : threadId) === undefined
  return (
    planCalls.get(memory.itemKey(threadId, callId)) !== undefined ||
    isOfCutTurn ||
    textOf(output) === 'Plan updated'
  )
}

/** The output of a call that starts an agent names its thread, or states why there is none. */
function readSpawnOutput(
  threadId: string,
  { callId, output }: CodexEventOf<'output'>,
  context: CodexContext,
): void {
  const { agent_id, task_name, nickname } = asObject(isString(output) ? parseJson(output) : output)
  const agentId = asString(agent_id)
  if (agentId !== undefined) linkAgent(threadId, { callId, agentId, nickname: asString(nickname) }, context)
  else if (task_name === undefined) failAnnounced(callId, textOf(output), context)
}

type StoredResult = Omit<ResultFacts, 'toolUseId' | 'timestamp'> & {
  /** The command goes on. */
  readonly processId?: string | undefined
  readonly isRefused?: true
}

interface StoredOutput {
  readonly toolName: string | undefined
  readonly patch: string | undefined
  readonly output: unknown
}

function resultOf({ toolName, patch = '', output }: StoredOutput, state: SessionLookups): StoredResult {
  const text = textOf(output)
  if (isRefusalText(text)) return { output, isError: true, isRefused: true }
  if (toolName === COMMAND || toolName === WRITE_STDIN) return readCommandOutput(unwrapped(text))
  if (toolName === FILE_CHANGE) return patchResult(patch, text, state)
  if (toolName === IMAGE_VIEW && !isFailureText(text)) return { output: '', isError: false }
  return { output: output ?? '', isError: isFailureText(text) || asObject(output).success === false }
}

/** Returns the result of a patch. Only a patch that was applied has changes. */
function patchResult(patch: string, text: string, state: SessionLookups): StoredResult {
  const { output, isError } = readCommandOutput(unwrapped(text))
  if (isError || /^apply_patch verification failed/.test(text)) return { output, isError: true }
  return { output: '', isError: false, changes: patchChanges(readPatchText(patch, state.facts.cwd)) }
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
  return isObject(output) ? (asString(output.content) ?? '') : textOfContent(output)
}
