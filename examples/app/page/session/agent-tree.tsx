import type { AgentNode } from 'agentfold'
import { useAgentTree } from 'agentfold/react'
import type { ReactNode } from 'react'
import { goToAgent } from './go-to-agent.ts'
import { StatusMark } from './status-mark.tsx'
import { secondsOf, tokensOf } from './tokens.ts'

/** The session's agents, each below its caller. */
export function AgentTree(): ReactNode {
  const tree = useAgentTree(withoutText)
  return (
    <nav className="tree" aria-label="Agents">
      <ul>
        <Agent node={tree} />
      </ul>
    </nav>
  )
}

type ShownNode = Pick<AgentNode, 'id' | 'status' | 'name' | 'description' | 'durationMs' | 'usage'> & {
  readonly children: readonly ShownNode[]
}

/** Removes the last text, which changes with each delta. An agent that waits for others counts as running. */
function withoutText({ lastText: _, ...node }: AgentNode): ShownNode {
  const children = node.children.map(withoutText)
  const isWaiting = node.status === 'success' && children.some(({ status }) => status === 'running')
  return { ...node, children, status: isWaiting ? 'running' : node.status }
}

function Agent({ node }: { readonly node: ShownNode }): ReactNode {
  const { id, name, description, status, children } = node
  return (
    <li data-agent={id} data-status={status}>
      <button type="button" className="agent" onClick={() => goToAgent(id)}>
        <span className="agent-name">{description ?? name ?? (id === 'main' ? 'Main' : id)}</span>
        <StatusMark status={status} />
        <Figures node={node} />
      </button>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Agent key={child.id} node={child} />
          ))}
        </ul>
      )}
    </li>
  )
}

function Figures({ node: { usage, durationMs, children } }: { readonly node: ShownNode }): ReactNode {
  const own = tokensOf(usage.own)
  const total = children.length > 0 ? tokensOf(usage.total) : undefined
  return (
    <>
      <span className="figures">
        {[own, durationMs === undefined ? undefined : secondsOf(durationMs)].filter(Boolean).join(' · ')}
      </span>
      {total && <span className="figures">{total} in all</span>}
    </>
  )
}
