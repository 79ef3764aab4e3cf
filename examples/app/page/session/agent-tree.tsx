import type { AgentNode, SessionStatus } from 'agentfold'
import { useAgentTree, useRequests, useSessionStatus } from 'agentfold/react'
import type { ReactNode } from 'react'
import { useNavigator } from '../rows/navigator.tsx'
import { useTone } from '../rows/tone.ts'
import { useAgentTitle } from './agent-title.ts'
import { Doing } from './doing.tsx'
import { StatusMark } from './status-mark.tsx'
import { secondsOf, tokensOf } from './tokens.ts'

/** The session's agents, each below its caller. An agent with an open request waits for the person. */
export function AgentTree(): ReactNode {
  const tree = useAgentTree(withoutText)
  const status = useSessionStatus()
  const waiting = useRequests().map(({ conversationId }) => conversationId)
  return (
    <nav className="tree" aria-label="Agents">
      <ul>
        <Agent node={tree} status={status} waiting={waiting} />
      </ul>
    </nav>
  )
}

type ShownNode = Pick<AgentNode, 'id' | 'status' | 'durationMs' | 'usage'> & {
  readonly children: readonly ShownNode[]
}

/** Removes the last text, which changes with each delta. */
function withoutText({ lastText: _, ...node }: AgentNode): ShownNode {
  return { ...node, children: node.children.map(withoutText) }
}

interface AgentProps {
  readonly node: ShownNode
  /** The status of the session for main. */
  readonly status: ShownNode['status'] | SessionStatus
  /** The agents with an open request. */
  readonly waiting: readonly string[]
}

function Agent({ node, status, waiting }: AgentProps): ReactNode {
  const { id, children } = node
  const title = useAgentTitle(id)
  const navigator = useNavigator()
  const tone = useTone(id)
  return (
    <li data-agent={id} data-status={status}>
      <button type="button" className="agent" data-tone={tone} onClick={() => navigator.goToAgent(id)}>
        <span className="agent-name">{title}</span>
        <StatusMark status={status} />
        {status === 'running' && <Doing conversationId={id} />}
        <Figures node={node} />
      </button>
      {children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Agent
              key={child.id}
              node={child}
              status={waiting.includes(child.id) ? 'waiting' : child.status}
              waiting={waiting}
            />
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
