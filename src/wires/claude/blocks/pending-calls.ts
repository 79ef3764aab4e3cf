import { PersistentMap } from '../../../session/notes/persistent-map.ts'
import type { BlockOf } from '../../../state/block.ts'
import { MAIN } from '../../../state/session.ts'
import type { ClaudeContext } from '../context.ts'
import type { ClaudeMemory } from '../memory.ts'

type Call = BlockOf<'tool_use'>

/** Names a call: the ids of calls are unique within a conversation only. */
type CallRef = Pick<Call, 'conversationId' | 'toolUseId'>

const NO_CALLS: PersistentMap<Call> = /* @__PURE__ */ new PersistentMap<Call>()

/** Returns the call if it waits for its result. */
export function pendingCall({ conversationId, toolUseId }: CallRef, memory: ClaudeMemory): Call | undefined {
  return memory.pendingCalls.get(conversationId)?.get(toolUseId)
}

/** Returns the call of a block if it waits for its result. A call without an id of its own has another one in its block. */
export function pendingCallOfBlock(
  conversationId: string,
  blockId: string,
  memory: ClaudeMemory,
): Call | undefined {
  return [blockId, '']
    .map((toolUseId) => pendingCall({ conversationId, toolUseId }, memory))
    .find((call) => call?.id === blockId)
}

/** Whether a call with the id waits for its result in any conversation. */
export function isPendingCall(toolUseId: string | undefined, context: ClaudeContext): boolean {
  if (toolUseId === undefined) return false
  return [...context.conversationsOfCall(toolUseId)].some(
    (conversationId) => pendingCall({ conversationId, toolUseId }, context.memory) !== undefined,
  )
}

/** Whether a call of the conversation waits for its result. */
export function hasPendingCalls(conversationId: string, { pendingCalls }: ClaudeMemory): boolean {
  return pendingCalls.get(conversationId)?.isEmpty === false
}

/** Remembers a call until its result arrives. */
export function rememberPendingCall(call: Call, conversationId: string, context: ClaudeContext): void {
  const before = context.memory.pendingCalls.get(conversationId) ?? NO_CALLS
  storeCalls(before.with(call.toolUseId, call), before, conversationId, context)
  context.addCall(call.toolUseId, conversationId)
}

/** Forgets a call that has its result. */
export function forgetPendingCall({ conversationId, toolUseId }: CallRef, context: ClaudeContext): void {
  const before = context.memory.pendingCalls.get(conversationId)
  if (before) storeCalls(before.without(toolUseId), before, conversationId, context)
}

/** Main calls again and again, so its map stays when it is empty, and the batch changes it in place. An agent has few calls, so its map leaves. */
function storeCalls(
  calls: PersistentMap<Call>,
  before: PersistentMap<Call>,
  conversationId: string,
  context: ClaudeContext,
): void {
  if (conversationId !== MAIN && calls.isEmpty) context.removeEntry('pendingCalls', conversationId)
  else if (conversationId !== MAIN) context.setEntry('pendingCalls', conversationId, calls)
  else if (calls !== before) context.setEntry('pendingCalls', MAIN, context.open(calls))
}

/** Forgets all calls of a conversation: no result will arrive. */
export function forgetPendingCalls(conversationId: string, context: ClaudeContext): void {
  context.removeEntry('pendingCalls', conversationId)
}
