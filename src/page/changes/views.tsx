import { fileChanges, type SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import type { ReactNode } from 'react'
import { formatCount } from '../../sinks/markdown/text/values.ts'
import { CHANGES, conversationAddress, type View } from './use-view.ts'

/** The way between the conversation and the changes. Absent without changes. */
export function Views({ view }: { readonly view: View }): ReactNode {
  const files = useSession(fileCount)
  if (files === 0 && view === 'conversation') return null
  return (
    <nav className="views" aria-label="Views">
      <a href={conversationAddress()} aria-current={view === 'conversation' ? 'page' : undefined}>
        Conversation
      </a>
      <a href={CHANGES} aria-current={view === 'changes' ? 'page' : undefined}>
        Changes <span className="count">{formatCount(files)}</span>
      </a>
    </nav>
  )
}

function fileCount(state: SessionConversationState): number {
  return new Set(fileChanges(state).map(({ path }) => path)).size
}
