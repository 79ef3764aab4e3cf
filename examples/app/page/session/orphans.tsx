import type { AgentNode } from 'agentfold'
import { useAgentTree } from 'agentfold/react'
import type { ReactNode } from 'react'
import { NestedConversation } from '../blocks/nested-conversation.tsx'
import { StatusMark } from './status-mark.tsx'

/** The agents without a known call. No conversation has a block for them. */
export function Orphans(): ReactNode {
  const orphans = useAgentTree(orphansIn)
  return orphans.map(({ id, title, status }) => (
    <section key={id} className="block subagent" aria-label={`Agent ${title}`} data-orphan={id}>
      <details open>
        <summary>
          <span className="summary-name">{title}</span>
          <span className="preview">its call is unknown</span>
          <StatusMark status={status} />
        </summary>
        <NestedConversation conversationId={id} />
      </details>
    </section>
  ))
}

interface Orphan extends Pick<AgentNode, 'id' | 'status'> {
  readonly title: string
}

function orphansIn({ children }: AgentNode): readonly Orphan[] {
  return children
    .filter(({ lineage }) => lineage === 'orphan' || lineage === 'cycle')
    .map(({ id, status, description, name }) => ({ id, status, title: description ?? name ?? id }))
}
