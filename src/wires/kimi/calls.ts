import { type AllowUndefined, withChanges } from '../../core/json/fields.ts'
import {
  asArray,
  asFiniteNumber,
  asObject,
  asString,
  isString,
  type JsonObject,
} from '../../core/json/values.ts'
import { type BlockOf, subagentBlockId, toolResultBlockId } from '../../core/state/block.ts'
import { absolutePath, type FileChange } from '../../core/state/file-change.ts'
import { readTodos } from '../../core/state/todo.ts'
import { AGENT } from '../../programs/kimi/program.ts'
import { contentParts, exitCodeIn, fileChange, outputText, textRead } from '../../programs/kimi/results.ts'
import type { Memory, SessionOutput } from '../../reading/context.ts'
import type { SessionLookups } from '../../reading/lookups.ts'
import { callOf, placeCall } from '../kit/reused-ids.ts'
import { announceAgent, type CallResult, endAgentCall, endSwarm, startsAgent } from './agents.ts'
import type { KimiEvent } from './messages.ts'
import type { KimiContext } from './notes.ts'
import { withdrawRequests } from './requests.ts'
import { closeText, currentStep, isRepeated, startWork } from './steps.ts'

/** Appends to the arguments of a call. */
export function extendCall(event: KimiEvent, conversationId: string, context: KimiContext): void {
  const { fields, time: timestamp } = event
  if (isRepeated(event, conversationId, context.notes)) return
  const toolUseId = asString(fields.toolCallId)
  if (toolUseId === undefined) return
  const messageId = currentStep(fields, conversationId, context.notes.values)
  const toolName = asString(fields.name) ?? ''
  const delta = asString(fields.argumentsPart) ?? ''
  const agent = context.state.findBlock(conversationId, subagentBlockId(toolUseId))
  const known = agent ?? context.state.findBlock(conversationId, toolUseId)
  if (known) {
    const isStreaming = 'inputText' in known && known.inputText !== undefined
    if (delta !== '' && isStreaming)
      context.emit({ type: 'block:delta', conversationId, blockId: known.id, delta })
    return
  }
  startWork(fields, conversationId, context)
  closeText(conversationId, messageId, context)
  const call = { toolUseId, messageId, inputText: delta, input: {} }
  if (toolName === AGENT) return announceAgent(conversationId, call, context)
  const block = { type: 'tool_use', id: toolUseId, status: 'pending', toolName, ...call, timestamp } as const
  context.show(conversationId, block)
}

/** Starts a call with its whole arguments. A call that has ended is a repeated one. */
export function startCall(
  { fields, time: timestamp }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const toolUseId = idOfCall(fields, conversationId, context)
  if (toolUseId === undefined) return
  const messageId = asString(fields.stepUuid) ?? currentStep(fields, conversationId, context.notes.values)
  const toolName = asString(fields.name) ?? ''
  showCall(conversationId, { toolUseId, toolName, input: fields.args ?? {}, messageId, timestamp }, context)
}

type Call = AllowUndefined<
  Pick<BlockOf<'tool_use'>, 'toolUseId' | 'toolName' | 'input' | 'messageId' | 'timestamp'>
>

/** Shows a call, unless it is a repeated one. */
export function showCall(conversationId: string, call: Call, context: KimiContext): void {
  const { toolUseId, toolName, messageId } = call
  const known = context.state.findBlock(conversationId, toolUseId)
  if (known && !(known.type === 'tool_use' && known.inputText !== undefined)) return
  startWork({}, conversationId, context)
  if (messageId !== undefined) closeText(conversationId, messageId, context)
  const announced = context.state.findBlock(conversationId, subagentBlockId(toolUseId))
  if (startsAgent(toolName, call.input))
    return announceAgent(conversationId, { ...call, input: asObject(call.input) }, context)
  // The arguments of the call have turned out to resume an agent.
  if (announced && context.state.isAnnounced(toolUseId))
    context.emit({ type: 'block:removed', conversationId, blockId: announced.id })
  else if (announced) return
  const block = { type: 'tool_use', id: toolUseId, status: 'pending', ...call } as const
  context.show(conversationId, block)
}

/** Returns the id of a call. Only a file says which step a call is of. */
function idOfCall(
  { toolCallId, stepUuid }: JsonObject,
  conversationId: string,
  context: KimiContext,
): string | undefined {
  const callId = asString(toolCallId)
  if (callId === undefined || !isString(stepUuid)) return callId
  return placeCall({ conversationId, messageId: stepUuid, callId }, context)
}

/** Reads the result of a call; undefined if the event names no call. */
export function readCallResult(
  { fields, time: timestamp }: KimiEvent,
  conversationId: string,
  memory: Memory<KimiContext>,
): CallResult | undefined {
  const callId = asString(fields.toolCallId)
  if (callId === undefined) return undefined
  const toolUseId = callOf(conversationId, callId, memory)
  const { output, isError, durationMs } = asObject(fields.result ?? fields)
  return { toolUseId, output, isError: isError === true, durationMs: asFiniteNumber(durationMs), timestamp }
}

/** Ends a call with its result. */
export function endCall(event: KimiEvent, conversationId: string, context: KimiContext): void {
  const result = readCallResult(event, conversationId, context)
  if (result) showResult(conversationId, result, context)
}

/** Shows the result of a call. A call that starts an agent has none: the agent has its report. */
export function showResult(conversationId: string, result: CallResult, context: KimiContext): void {
  const { toolUseId, output, isError, ...facts } = result
  const id = toolResultBlockId(toolUseId)
  const text = outputText(output)
  withdrawRequests(conversationId, toolUseId, context)
  const found = context.state.findBlock(conversationId, toolUseId)
  const call = found?.type === 'tool_use' ? found : undefined
  if (!call && context.state.agentOfCall(toolUseId)?.parentConversationId === conversationId)
    return endAgentCall({ ...result, text }, context)
  if (context.state.findBlock(conversationId, id)) return
  startWork({}, conversationId, context)
  if (call) context.show(conversationId, completed(call, isError))
  const exitCode = exitCodeIn(text)
  const changes = call && !isError ? changesOf(call, text, context) : undefined
  context.show(conversationId, {
    type: 'tool_result',
    id,
    status: isError ? 'error' : 'complete',
    toolUseId,
    isError,
    output: isString(output) ? output : contentParts(output),
    exitCode,
    changes,
    ...facts,
  })
  if (!call) return
  if (!isError && (changes || call.toolName === 'Read')) noteFile(call, text, context)
  if (!isError && call.toolName === 'TodoList') showTodos(conversationId, asObject(call.input).todos, context)
  endSwarm(conversationId, { call, text }, context)
}

function completed({ inputText: _, ...call }: BlockOf<'tool_use'>, isError: boolean): BlockOf<'tool_use'> {
  return { ...call, status: isError ? 'error' : 'complete' }
}

/** Reads the plan of an agent. */
export function readStore({ fields }: KimiEvent, conversationId: string, context: KimiContext): void {
  if (fields.key === 'todo') showTodos(conversationId, fields.value, context)
}

function showTodos(conversationId: string, list: unknown, output: SessionOutput): void {
  if (Array.isArray(list)) output.emit({ type: 'todos:updated', conversationId, todos: readTodos(list) })
}

/** Notes whether a file was there before the program changed it. */
export function readTrackedFile({ fields }: KimiEvent, _: string, memory: Memory<KimiContext>): void {
  const path = asString(fields.path)
  const place = path === undefined ? undefined : absolutePath(path, memory.state.facts.cwd)
  if (place === undefined || memory.notes.values.trackedFiles.get(place)) return
  memory.notes.setEntry('trackedFiles', place, asObject(fields.entry).key === null ? 'new' : 'old')
}

function fileOf({ input }: BlockOf<'tool_use'>, { facts }: SessionLookups): string | undefined {
  const path = asString(asObject(input).path)
  return path === undefined ? undefined : absolutePath(path, facts.cwd)
}

function changesOf(
  call: BlockOf<'tool_use'>,
  output: string,
  memory: Memory<KimiContext>,
): readonly FileChange[] | undefined {
  const { toolName, input } = call
  if (toolName !== 'Edit' && toolName !== 'Write') return undefined
  const path = fileOf(call, memory.state)
  if (path === undefined) return undefined
  const before = shownText(path, memory)
  // Only the files say whether a file is new. Without them, one that the session has not shown counts as new.
  const isNew = before === undefined && memory.notes.values.trackedFiles.get(path) !== 'old'
  const change = fileChange({ toolName, input: asObject(input), path, output, before, isNew })
  return change && [change]
}

/** Returns the text of a file that an earlier call shows. */
function shownText(path: string, memory: Memory<KimiContext>): string | undefined {
  const { conversationId = '', toolUseId = '' } = memory.notes.values.shownFiles.get(path) ?? {}
  const call = memory.state.findBlock(conversationId, toolUseId)
  const result = memory.state.findBlock(conversationId, toolResultBlockId(toolUseId))
  if (call?.type !== 'tool_use' || result?.type !== 'tool_result') return undefined
  const input = asObject(call.input)
  return call.toolName === 'Write' ? asString(input.content) : textRead(input, outputText(result.output))
}

/** Notes that a call shows a whole file, or that no call does any more. */
export function noteFile(call: BlockOf<'tool_use'>, output: string, memory: Memory<KimiContext>): void {
  const { conversationId, toolUseId, toolName } = call
  const input = asObject(call.input)
  const path = fileOf(call, memory.state)
  if (path === undefined) return
  const isWhole =
    toolName === 'Write'
      ? input.mode !== 'append'
      : toolName === 'Read' && textRead(input, output) !== undefined
  if (isWhole) memory.notes.setEntry('shownFiles', path, { conversationId, toolUseId })
  else if (toolName === 'Write' || toolName === 'Edit') {
    memory.notes.removeEntry('shownFiles', path)
    memory.notes.setEntry('trackedFiles', path, 'old')
  }
}

/** Reads the result of a call that has no line of its own. The model gets it in its next request. */
export function readModelMessage(
  { fields, time }: KimiEvent,
  conversationId: string,
  context: KimiContext,
): void {
  const { role, content, toolCallId } = asObject(asObject(fields.message).message)
  const toolUseId = asString(toolCallId)
  if (role !== 'tool' || toolUseId === undefined || !context.state.isOpen(conversationId, toolUseId)) return
  const output = asArray(content).length > 0 ? outputText(content) : content
  const isError = outputText(output).startsWith('unknown tool: ')
  showResult(conversationId, { toolUseId, output, isError, timestamp: time }, context)
}

/** Adds the exit code of a command in the background. */
export function noteExitCode(
  conversationId: string,
  { parentToolCallId, exitCode }: JsonObject,
  context: KimiContext,
): void {
  const code = asFiniteNumber(exitCode)
  const block = context.state.findBlock(conversationId, toolResultBlockId(asString(parentToolCallId) ?? ''))
  if (code !== undefined && block?.type === 'tool_result' && block.exitCode !== code)
    context.show(conversationId, withChanges(block, { exitCode: code }))
}
