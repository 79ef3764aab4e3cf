'use client'

export { SessionProvider, type SessionProviderProps, useSessionStore } from '../client/react/context.ts'
export {
  type Selector,
  type ToolCallState,
  useAgentTree,
  useBlock,
  useBlockIds,
  useConversation,
  useCost,
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
  type RequestField,
  type RequestForm,
  useAnswer,
  useHubSession,
  useHubSessions,
  useHubStatus,
  usePrompt,
  usePromptForm,
  useRequestForm,
} from '../client/react/hub.ts'
