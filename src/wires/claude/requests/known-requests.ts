import { isEqual } from '../../../json/equal.ts'
import { omitUndefined } from '../../../json/omit-undefined.ts'
import { asObject, type JsonObject } from '../../../json/values.ts'
import type { BlockOf } from '../../../state/block.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory, MessageBlock } from '../memory.ts'
import type { RequestedCall } from './facts.ts'

/** A request with its answer, if there is one. */
export type Request = BlockOf<'request'>

/** The key of a request: its call. The stream and the file name the call, and only the stream has an id for the request. */
export function requestKey({ toolUseId, id }: Pick<Request, 'toolUseId' | 'id'>): string {
  return toolUseId ?? id
}

/** Adds a request, or replaces it by one with an answer. A request that stays the same adds nothing. */
export function storeRequest(request: Request, context: ClaudeContext): void {
  const { requests } = context.memory
  const key = requestKey(request)
  if (isEqual(requests.get(key), request)) return
  context.setEntry('requests', key, request)
  context.upsert(request.conversationId, request)
}

/** Returns the request with that id of the program. */
export function requestById(id: string, { requests, requestCalls }: ClaudeMemory): Request | undefined {
  return requests.get(requestCalls.get(id) ?? '')
}

/** Names a call: its conversation, and its own id. */
export interface CallRef {
  readonly conversationId: string
  readonly toolUseId: string
}

/** A call that waits for its result, or an agent's call. */
export interface KnownCall extends RequestedCall {
  /** The input of an agent's call has only the facts that the source keeps. */
  readonly isAgent: boolean
  /** The person must have answered: the call has its result, or its agent works without one. */
  readonly isOver: boolean
}

/** Returns a call, unless the source has not read it, or it is no agent's call and has its result. */
export function knownCall(
  { conversationId, toolUseId }: CallRef,
  { pendingCalls, agents }: ClaudeMemory,
): KnownCall | undefined {
  const call = pendingCalls.get(conversationId)?.get(toolUseId)
  if (call) return { toolName: call.toolName, input: asObject(call.input), isAgent: false, isOver: false }
  const agent = agents.get(toolUseId)
  if (!agent) return undefined
  const { description, prompt, name, hasOpenCall, hasEnded, isResumed } = agent
  return {
    toolName: AGENT,
    input: omitUndefined({ description, prompt, subagent_type: name }),
    isAgent: true,
    isOver: hasEnded === true || isResumed === true || hasOpenCall === false,
  }
}

/**
 * Whether a call that is not pending is over: the source has read the call, or its result. The search visits all messages, so that no line
 * has to remember its calls for it. Only a request for such a call needs the search.
 */
export function isCallOver(toolUseId: string, { messages, earlyResults }: ClaudeMemory): boolean {
  const isCall = (block: MessageBlock) => block.toolUseId === toolUseId && block.isWhole
  return (
    messages
      .values()
      .some((ofConversation) => ofConversation.values().some(({ blocks }) => blocks.some(isCall))) ||
    earlyResults.values().some(({ part }) => part.tool_use_id === toolUseId)
  )
}

/** The tool that starts agents. */
const AGENT = 'Agent'

/** Whether the input is that of the call. */
export function isInputOf(call: KnownCall | undefined, input: JsonObject): boolean {
  if (!call?.isAgent) return isEqual(call?.input, input)
  return Object.entries(call.input).every(([name, value]) => input[name] === value)
}
