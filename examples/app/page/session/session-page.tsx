import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { BlockList } from '../blocks/block-list.tsx'
import { AgentTree } from './agent-tree.tsx'
import type { Connection } from './connection.ts'
import { Orphans } from './orphans.tsx'
import { SessionBar } from './session-bar.tsx'
import { TodoList } from './todo-list.tsx'
import { useFollowedEnd } from './use-followed-end.ts'

/** The same width as in `layout.css`. A long plan would hide the conversation of a narrow page. */
const WIDE = '(width >= 56rem)'

/** The running session: its conversation, with the agents beside it. */
export function SessionPage({ connection }: { readonly connection: Connection }): ReactNode {
  const status = useSyncExternalStore(connection.subscribe, connection.getStatus)
  const { growing, isAtEnd, goToEnd } = useFollowedEnd<HTMLElement>()
  return (
    <div className="page">
      <aside className="side" aria-label="Session">
        <SessionBar connectionStatus={status} />
        <AgentTree />
        <TodoList conversationId="main" isOpen={window.matchMedia(WIDE).matches} />
      </aside>
      {/* It is focusable, so that the keyboard can continue from its start. */}
      {/* Screen readers announce a block when it is final (aria-busy), and not each added word. */}
      <main className="conversation" ref={growing} tabIndex={-1}>
        <div
          className="blocks"
          role="log"
          aria-label="Conversation"
          aria-relevant="additions"
          aria-live="polite"
        >
          <BlockList conversationId="main" />
          <Orphans />
        </div>
        <EmptyNote />
      </main>
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={goToEnd}>
          Latest ↓
        </button>
      )}
    </div>
  )
}

function EmptyNote(): ReactNode {
  const isEmpty = useSession(isEmptySession)
  return isEmpty && <p className="note">The session has no messages yet.</p>
}

function isEmptySession({ blocks, subagents }: SessionConversationState): boolean {
  return blocks.length === 0 && subagents.length === 0
}
