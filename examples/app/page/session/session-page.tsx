import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { RowList } from '../rows/row-list.tsx'
import { SearchBar } from '../search/search-bar.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { ChangedFiles } from '../tools/changed-files.tsx'
import { AgentTree } from './agent-tree.tsx'
import { Announcements } from './announcements.tsx'
import type { Connection, ConnectionStatus } from './connection.ts'
import { Help } from './help.tsx'
import { Prompts } from './prompts.tsx'
import { SessionBar } from './session-bar.tsx'
import { TodoList } from './todo-list.tsx'
import { useFollowedEnd } from './use-followed-end.ts'
import { useNarrowMenu } from './use-narrow-menu.ts'

/** The session: its conversation, with its agents, prompts and plan beside it. Without a connection it is a report. */
export function SessionPage({ connection }: { readonly connection: Connection | undefined }): ReactNode {
  const status = useConnectionStatus(connection)
  const { growing, isAtEnd, goToEnd } = useFollowedEnd<HTMLElement>(connection !== undefined)
  const { isMenuOpen, toggleMenu } = useNarrowMenu()
  return (
    <div className="page">
      <aside className="side" aria-label="Session">
        <SessionBar connectionStatus={status} isMenuOpen={isMenuOpen} toggleMenu={toggleMenu} />
        <SearchBar />
        <div className={isMenuOpen ? 'menu' : 'menu closed'} id="menu">
          <AgentTree />
          <TodoList conversationId="main" isOpen />
          <Prompts />
          <ChangedFiles />
          <Help />
        </div>
      </aside>
      {/* It is focusable, so that the keyboard can continue from its start. */}
      <main className="conversation" ref={growing} tabIndex={-1}>
        <Timeline />
        <RowList />
        <EmptyNote />
      </main>
      <Announcements />
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={goToEnd}>
          {connection ? 'Latest' : 'End'} ↓
        </button>
      )}
    </div>
  )
}

function useConnectionStatus(connection: Connection | undefined): ConnectionStatus | undefined {
  return useSyncExternalStore(connection?.subscribe ?? noSubscription, () => connection?.getStatus())
}

function noSubscription(): () => void {
  return () => {}
}

function EmptyNote(): ReactNode {
  const isEmpty = useSession(isEmptySession)
  return isEmpty && <p className="note">The session has no messages yet.</p>
}

function isEmptySession({ blocks, subagents }: SessionConversationState): boolean {
  return blocks.length === 0 && subagents.length === 0
}
