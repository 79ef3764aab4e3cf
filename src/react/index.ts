'use client'

export { SessionProvider, type SessionProviderProps, useSessionStore } from './context.ts'
export {
  type Selector,
  useAgentTree,
  useBlock,
  useBlockIds,
  useConversation,
  useRequests,
  useSession,
  useSessionStatus,
  useSubagent,
  useTodos,
} from './hooks.ts'
export { type ToolCallState, useToolCall } from './use-tool-call.ts'
