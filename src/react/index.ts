'use client'

export { SessionProvider, type SessionProviderProps, useSessionStore } from './context.ts'
export {
  useAgentTree,
  useBlock,
  useBlockIds,
  useConversation,
  useSessionStatus,
  useSubagent,
} from './hooks.ts'
export { type Selector, useSession } from './use-session.ts'
