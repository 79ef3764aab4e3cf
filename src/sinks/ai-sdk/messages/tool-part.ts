import { omitUndefined } from '../../../core/json/fields.ts'
import { asArray, asString, isObject, parseJson } from '../../../core/json/values.ts'
import { partialInput } from '../../../core/selectors/call-input.ts'
import type { BlockOf } from '../../../core/state/block.ts'
import type { SubagentState } from '../../../core/state/session.ts'
import { isFinal } from '../../../core/state/subagent.ts'
import { blockMetadata } from './block-parts.ts'
import type {
  AgentOutput,
  Approval,
  BlockMetadata,
  DataPart,
  OpenApproval,
  ToolPart,
  ToolState,
} from './ui-message.ts'

/** The blocks that a call's part shows beside the call. */
export interface CallFacts {
  /** The first result. */
  readonly result?: BlockOf<'tool_result'>
  /** The last request for a permission to run the call. */
  readonly request?: BlockOf<'request'>
}

/** Returns the part of a tool call. */
export function callPart(call: BlockOf<'tool_use'>, facts: CallFacts): ToolPart {
  return {
    type: 'dynamic-tool',
    toolName: call.toolName,
    toolCallId: call.toolUseId,
    callProviderMetadata: blockMetadata(call),
    ...callState(call, facts),
  }
}

function callState(call: BlockOf<'tool_use'>, facts: CallFacts): ToolState {
  const { result, request } = facts
  const approval = approvalOf(request)
  const isOver = result !== undefined || call.status !== 'pending'
  if (!isOver && !approval && call.inputText !== undefined) return streamingState(call.inputText)
  const input = inputOf(call)
  if (!isOver) return approval ? askedState(input, approval) : { state: 'input-available', input }
  if (isDenied(call, facts) && isAnswered(approval) && !approval.approved)
    return { state: 'output-denied', input, approval: { ...approval, approved: false } }
  return { ...endState(result, input), ...granted(approval) }
}

function streamingState(inputText: string): ToolState {
  const rawInput = inputText === '' ? undefined : inputText
  return omitUndefined({ state: 'input-streaming', input: streamedInput(inputText), rawInput })
}

function askedState(input: unknown, approval: OpenApproval | Approval<boolean>): ToolState {
  return isAnswered(approval)
    ? { state: 'approval-responded', input, approval }
    : { state: 'approval-requested', input, approval }
}

function endState(
  result: BlockOf<'tool_result'> | undefined,
  input: unknown,
): Extract<ToolState, { readonly state: 'output-available' | 'output-error' }> {
  // Every program reports the result of a call that has ended by itself.
  if (!result) return { state: 'output-error', input, errorText: 'The call ended without a result.' }
  const resultProviderMetadata = blockMetadata(result)
  return result.isError
    ? { state: 'output-error', input, errorText: errorText(result.output), resultProviderMetadata }
    : { state: 'output-available', input, output: result.output, resultProviderMetadata }
}

/** The input of a call that was cut off while it streamed is what can be read of it, or else its text. */
function inputOf(call: BlockOf<'tool_use'>): unknown {
  return partialInput(call) ?? call.inputText ?? null
}

/** A call that ran all the same is not denied. */
function isDenied(call: BlockOf<'tool_use'>, { result, request }: CallFacts): boolean {
  return request?.denied === true && (result ? result.isError : call.status !== 'pending')
}

function approvalOf(request: BlockOf<'request'> | undefined): OpenApproval | Approval<boolean> | undefined {
  if (!request) return undefined
  const { id, status, answer, denied, comment } = request
  if (status === 'pending') return { id }
  if (answer === undefined && denied === undefined) return undefined
  return omitUndefined({ id, approved: denied !== true, reason: comment })
}

function isAnswered(approval: OpenApproval | Approval<boolean> | undefined): approval is Approval<boolean> {
  return approval !== undefined && 'approved' in approval
}

/** The AI SDK allows no other approval for a call that has ended. */
function granted(approval: OpenApproval | Approval<boolean> | undefined): {
  readonly approval?: Approval<true>
} {
  return isAnswered(approval) && approval.approved ? { approval: { ...approval, approved: true } } : {}
}

/** Returns the parts of a result at its own place. Its call's part shows the rest. */
export function resultParts(block: BlockOf<'tool_result'>, isInCall: boolean): DataPart[] {
  const { id, toolUseId, changes, output } = block
  const parts: DataPart[] = []
  if (changes) parts.push({ type: 'data-file-changes', id, data: { toolUseId, changes: [...changes] } })
  if (!isInCall || (block.isError && typeof output !== 'string'))
    parts.push({ type: 'data-tool-result', id, data: block })
  return parts
}

/** Whether the part of the call shows the result. */
export function isShownInCall(call: BlockOf<'tool_use'>, facts: CallFacts): boolean {
  return !isDenied(call, facts) || !isAnswered(approvalOf(facts.request))
}

function errorText(output: unknown): string {
  if (typeof output === 'string') return output
  const texts = asArray(output).flatMap((part) => (isObject(part) ? (asString(part.text) ?? []) : []))
  return texts.length > 0 ? texts.join('\n') : (JSON.stringify(output) ?? '')
}

/** Returns the part of an agent: a call of the tool `subagent` whose output holds the agent's conversation. */
export function agentPart(
  block: BlockOf<'subagent'>,
  output: AgentOutput,
  request: BlockOf<'request'> | undefined,
): ToolPart {
  const { name, description, input: prompt } = block
  const input = omitUndefined({ name, description, prompt })
  const state = agentState(input, output, approvalOf(request))
  return agentToolPart(block.toolUseId, blockMetadata(block), state)
}

/** Returns the part of an agent that has no block. */
export function agentWithoutCall(agent: SubagentState, output: AgentOutput): ToolPart {
  const { toolUseId, name, description, prompt } = agent
  const input = omitUndefined({ name, description, prompt })
  const metadata = { agentfold: { blockId: `subagent:${toolUseId}` } }
  return agentToolPart(toolUseId, metadata, agentState(input, output, undefined))
}

function agentToolPart(toolUseId: string, metadata: BlockMetadata, state: ToolState): ToolPart {
  return {
    type: 'dynamic-tool',
    toolName: 'subagent',
    toolCallId: toolUseId,
    callProviderMetadata: metadata,
    ...state,
  }
}

/** A failed agent has an output too: the state `output-error` of the AI SDK could not hold its conversation. */
function agentState(
  input: unknown,
  output: AgentOutput,
  approval: OpenApproval | Approval<boolean> | undefined,
): ToolState {
  if (isFinal(output.status)) return { state: 'output-available', input, output, ...granted(approval) }
  const isEmpty = (output.messages ?? []).length === 0
  if (isEmpty && approval) return askedState(input, approval)
  if (isEmpty && output.status === 'pending') return { state: 'input-streaming' }
  return { state: 'output-available', input, output, preliminary: true, ...granted(approval) }
}

/** Runs of characters, because an alternative for each character overflows the stack for long texts. */
const STRING = /"(?<text>[^"\\]*(?:\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})[^"\\]*)*)(?<quote>"?)/
const NUMBER = /(?<number>-?\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?)/
const TOKEN = String.raw`\s*(?:(?<mark>[{}[\],:])|${STRING.source}|${NUMBER.source}|(?<word>[a-z]+))`
const WORDS = ['true', 'false', 'null']

/**
 * Returns the value of a JSON text that is not complete, as the AI SDK's reader completes it. The reader closes
 * texts, lists and objects, completes words, and leaves out an unfinished key or number. Undefined if no value has
 * begun. The reader refuses a key `__proto__`.
 */
export function streamedInput(text: string): unknown {
  if (/"__proto__"\s*:/.test(text)) return undefined
  return parseJson(text) ?? parseJson(completed(text))
}

function completed(text: string): string {
  const closers: string[] = []
  let [isKey, valid] = [false, '']
  const tokens = new RegExp(TOKEN, 'y')
  for (let token = tokens.exec(text); token; token = tokens.exec(text)) {
    const { mark, quote, word } = token.groups ?? {}
    const read = text.slice(0, tokens.lastIndex)
    if (mark !== undefined) {
      isKey = mark === '{' || (mark === ',' && closers.at(-1) === '}')
      if (mark === '{') closers.push('}')
      else if (mark === '[') closers.push(']')
      else if (mark === '}' || mark === ']') closers.pop()
      if (mark !== ',' && mark !== ':') valid = read
    } else if (word !== undefined) valid = withRest(read, word) ?? valid
    else if (!isKey) valid = quote === '' ? `${read}"` : read
  }
  return valid + closers.reverse().join('')
}

function withRest(read: string, word: string): string | undefined {
  const known = WORDS.find((each) => each.startsWith(word))
  return known === undefined ? undefined : read + known.slice(word.length)
}
