'use client'

export { SessionProvider, type SessionProviderProps, useSessionStore } from '../client/react/context.ts'
export {
  type Selector,
  type ToolCallState,
  useAgentTree,
  useBlock,
  useBlockIds,
  useConversation,
  useRequests,
  useSession,
  useSessionStatus,
  useSubagent,
  useTodos,
  useToolCall,
} from '../client/react/hooks.ts'
export {
  HubProvider,
  type HubProviderProps,
  useAnswer,
  useHubSession,
  useHubSessions,
  useHubStatus,
} from '../client/react/hub.ts'
export { type RequestField, type RequestForm, useRequestForm } from '../client/react/request-form.ts'
export { useCost } from '../client/react/use-cost.ts'
