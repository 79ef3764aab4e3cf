import type { SessionConversationState } from '../../../src/entries/index.ts'
import { acpSource } from '../../../src/wires/acp/source.ts'

const MAIN = 's'

/** A JSON-RPC notification of the agent. */
export const update = (sessionUpdate: string, fields: object = {}, sessionId: string = MAIN): object => ({
  jsonrpc: '2.0',
  method: 'session/update',
  params: { sessionId, update: { sessionUpdate, ...fields } },
})

export const text = (messageId: string | undefined, words: string, sessionId?: string): object =>
  update('agent_message_chunk', { messageId, content: { type: 'text', text: words } }, sessionId)

export const userText = (messageId: string | undefined, words: string): object =>
  update('user_message_chunk', { messageId, content: { type: 'text', text: words } })

export const call = (toolCallId: string, fields: object = {}, sessionId?: string): object =>
  update('tool_call', { toolCallId, title: 'Tool', kind: 'other', status: 'pending', ...fields }, sessionId)

export const callUpdate = (toolCallId: string, fields: object, sessionId?: string): object =>
  update('tool_call_update', { toolCallId, ...fields }, sessionId)

/** A request of either side. */
export const request = (id: number, method: string, params: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params: { sessionId: MAIN, ...params },
})

/** The messages that name the agent's program. */
export const named = (name: string): readonly object[] => [
  request(0, 'initialize'),
  response(0, { protocolVersion: 1, agentInfo: { name } }),
]

export const prompt = (id: number, words: string): object =>
  request(id, 'session/prompt', { prompt: [{ type: 'text', text: words }] })

export const response = (id: number, result: unknown): object => ({ jsonrpc: '2.0', id, result })

export const stop = (id: number, stopReason = 'end_turn'): object => response(id, { stopReason })

export interface Folded {
  readonly state: SessionConversationState
  readonly issues: readonly string[]
  readonly ending: string
}

/** Folds the messages. `isOpen` leaves out the end of the input. */
export function fold(
  messages: readonly unknown[],
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): Folded {
  const { session, issues } = acpSource.read(acpSource.open(), messages)
  const end = acpSource.end(session)
  const codes = [...issues, ...(isOpen ? [] : end.issues)].map((issue) =>
    'messageType' in issue ? `${issue.code} ${issue.messageType}` : issue.code,
  )
  return { state: (isOpen ? session : end.session).state, issues: codes, ending: end.ending }
}

/** Returns the blocks of a conversation in short. */
export const shown = (state: SessionConversationState, agent?: string): readonly unknown[] =>
  (agent === undefined ? state : state.subagents.find(({ toolUseId }) => toolUseId === agent))?.blocks.map(
    (block) => [block.type, block.status, 'content' in block ? block.content : block.id],
  ) ?? []
