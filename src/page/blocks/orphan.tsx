import { findSubagent } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import type { SubagentStatus } from '../../core/state/subagent.ts'
import { Details } from '../rows/details.tsx'
import { useAgentTitle } from '../session/agent-title.ts'
import { StatusMark } from '../session/status-mark.tsx'

/** An agent without a known call. */
export function Orphan({ agentId, id }: { readonly agentId: string; readonly id: string }): ReactNode {
  const status = useSession(useMemo(() => statusOf(agentId), [agentId]))
  const title = useAgentTitle(agentId)
  return (
    <article className="block subagent" aria-label={`Agent ${title}`} data-orphan={agentId}>
      <Details
        id={id}
        isOpenByDefault
        summary={
          <>
            <span className="summary-name">{title}</span>
            <span className="preview">its call is unknown</span>
            <StatusMark status={status ?? 'pending'} />
          </>
        }
      />
    </article>
  )
}

function statusOf(agentId: string): Selector<SubagentStatus | undefined> {
  return (state) => findSubagent(state, agentId)?.status
}
