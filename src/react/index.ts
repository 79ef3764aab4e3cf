'use client'

export { SessionProvider, type SessionProviderProps, useSessionStore } from './context.ts'
export {
  useAgentTree,
  useBlock,
  useBlockIds,
  useConversation,
  useRequests,
  useSessionStatus,
  useSubagent,
  useTodos,
} from './hooks.ts'
export { type Selector, useSession } from './use-session.ts'
export { type ToolCallState, useToolCall } from './use-tool-call.ts'
