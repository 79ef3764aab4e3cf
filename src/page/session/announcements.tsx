import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type ReactNode, useRef } from 'react'

/** Announces each new answer to screen readers when it is complete. Rows that appear because of a scroll stay silent. */
export function Announcements(): ReactNode {
  const last = useSession(lastAnswer)
  const first = useRef(last)
  return (
    <div className="visually-hidden" aria-live="polite">
      {last === first.current ? '' : last}
    </div>
  )
}

/** In UTF-16 units. */
const LONGEST = 500

function lastAnswer({ blocks }: SessionConversationState): string {
  const last = blocks.at(-1)
  return last?.type === 'assistant_text' && last.status === 'complete' ? last.content.slice(0, LONGEST) : ''
}
