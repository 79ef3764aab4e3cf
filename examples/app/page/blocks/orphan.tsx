import { findSubagent, type SubagentState } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { Details } from '../rows/details.tsx'
import { StatusMark } from '../session/status-mark.tsx'

/** An agent without a known call. */
export function Orphan({ agentId, id }: { readonly agentId: string; readonly id: string }): ReactNode {
  const agent = useFacts(agentId)
  const title = agent.description ?? agent.name ?? agentId
  return (
    <section className="block subagent" aria-label={`Agent ${title}`} data-orphan={agentId}>
      <Details
        id={id}
        isOpenByDefault
        summary={
          <>
            <span className="summary-name">{title}</span>
            <span className="preview">its call is unknown</span>
            <StatusMark status={agent.status ?? 'pending'} />
          </>
        }
      />
    </section>
  )
}

type Facts = Partial<Pick<SubagentState, 'description' | 'name' | 'status'>>

function useFacts(agentId: string): Facts {
  const select = useMemo<Selector<Facts>>(
    () => (state) => {
      const { description, name, status } = findSubagent(state, agentId) ?? {}
      return { ...(description && { description }), ...(name && { name }), ...(status && { status }) }
    },
    [agentId],
  )
  return useSession(
    select,
    (left, right) =>
      left.description === right.description && left.name === right.name && left.status === right.status,
  )
}
