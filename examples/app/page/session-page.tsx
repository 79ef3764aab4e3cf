import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type ReactNode, useSyncExternalStore } from 'react'
import { AgentTree } from './agent-tree.tsx'
import { BlockList } from './block-list.tsx'
import type { Connection } from './connection.ts'
import { Orphans } from './orphans.tsx'
import { SessionBar } from './session-bar.tsx'
import { useFollowedEnd } from './use-followed-end.ts'

/** The session as it goes on: its conversation, and beside it the agents. */
export function SessionPage({ connection }: { readonly connection: Connection }): ReactNode {
  const status = useSyncExternalStore(connection.subscribe, connection.getStatus)
  const { growing, isAtEnd, goToEnd } = useFollowedEnd<HTMLElement>()
  return (
    <div className="page">
      <aside className="side" aria-label="Session">
        <SessionBar connectionStatus={status} />
        <AgentTree />
      </aside>
      {/* The focus can be put there, so that the keyboard goes on from its beginning. */}
      {/* Words that are added to a block are not announced: a block is, once it is finished (aria-busy). */}
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
        <Beginning />
      </main>
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={goToEnd}>
          Latest ↓
        </button>
      )}
    </div>
  )
}

function Beginning(): ReactNode {
  const isEmpty = useSession(hasNothing)
  return isEmpty && <p className="note">Nothing has been said yet.</p>
}

function hasNothing({ blocks, subagents }: SessionConversationState): boolean {
  return blocks.length === 0 && subagents.length === 0
}
