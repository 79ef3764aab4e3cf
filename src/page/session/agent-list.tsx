import type { AgentNode, SessionStatus } from 'agentfold'
import { useAgentTree, useRequests, useSessionStatus } from 'agentfold/react'
import { type ReactNode, useState } from 'react'
import { formatCost, formatDuration } from '../../sinks/markdown/text/values.ts'
import { Details } from '../rows/details.tsx'
import { useNavigator, useReaderPlace } from '../rows/navigator.tsx'
import { useTone } from '../rows/tone.ts'
import { type AgentCost, agentCosts, isPriced } from './agent-costs.ts'
import { useAgentTitle } from './agent-title.ts'
import { Doing } from './doing.tsx'
import { Roving } from './roving.tsx'
import { StatusMark } from './status-mark.tsx'
import { tokensOf } from './tokens.ts'
import { useCalm } from './use-calm.ts'

/** More agents are in groups by their status. */
const FEW = 12

/** The session's agents, each below its caller. Many are in groups. An agent with an open request waits for the person. */
export function AgentList(): ReactNode {
  const tree = useAgentTree(withoutText)
  const status = useSessionStatus()
  const waiting = useRequests().map(({ conversationId }) => conversationId)
  const agents = allBelow(tree)
  const [isByCost, setIsByCost] = useState(false)
  const costs = useCalm(agentCosts)
  const canSort = agents.length > 1 && costs.some(({ part }) => part > 0)
  return (
    <Roving className="tree" label="Agents">
      {canSort && (
        <button
          type="button"
          className="agent-order"
          aria-pressed={isByCost}
          onClick={() => setIsByCost(!isByCost)}
        >
          {isPriced(costs) ? 'Highest cost first' : 'Largest share first'}
        </button>
      )}
      {isByCost && canSort ? (
        <ByCost
          nodes={[{ ...tree, children: [] }, ...agents]}
          costs={costs}
          waiting={waiting}
          status={status}
        />
      ) : (
        <>
          <ul>
            <Agent node={tree} status={status} waiting={waiting} isTree={agents.length <= FEW} />
          </ul>
          {agents.length > FEW && <Groups agents={agents} waiting={waiting} />}
        </>
      )}
    </Roving>
  )
}

interface ByCostProps extends Pick<AgentProps, 'waiting' | 'status'> {
  /** Main first. */
  readonly nodes: readonly ShownNode[]
  readonly costs: readonly AgentCost[]
}

/** All agents in one list, the dearest first, each with its part of the cost. */
function ByCost({ nodes, costs, waiting, status }: ByCostProps): ReactNode {
  const byId = new Map(nodes.map((node) => [node.conversationId, node]))
  return (
    <ul>
      {costs.map(({ id, part, usd }) => {
        const node = byId.get(id)
        if (!node) return null
        const cost = usd === undefined ? `${Math.round(part * 100)} % of all` : formatCost(usd)
        const own = node === nodes[0] ? status : statusOf(node, waiting)
        return <Agent key={id} node={node} status={own} waiting={waiting} isTree={false} cost={cost} />
      })}
    </ul>
  )
}

function allBelow({ children }: ShownNode): readonly ShownNode[] {
  return children.flatMap((child) => [child, ...allBelow(child)])
}

interface GroupsProps extends Pick<AgentProps, 'waiting'> {
  readonly agents: readonly ShownNode[]
}

const GROUPS = ['waiting', 'running', 'pending', 'error', 'success'] as const

/** Agents that are done say least, so their group is open only if no other one is there. */
function Groups({ agents, waiting }: GroupsProps): ReactNode {
  const groups = GROUPS.map((group) => ({
    group,
    members: agents.filter((node) => statusOf(node, waiting) === group),
  })).filter(({ members }) => members.length > 0)
  return groups.map(({ group, members }) => (
    <div key={group} className="agent-group">
      <Details
        id={`agents ${group}`}
        isOpenByDefault={group !== 'success' || groups.length === 1}
        summary={
          <>
            <StatusMark status={group} />
            <span className="count">{members.length}</span>
          </>
        }
      >
        {() => (
          <ul>
            {members.map((node) => (
              <Agent key={node.conversationId} node={node} status={group} waiting={waiting} isTree={false} />
            ))}
          </ul>
        )}
      </Details>
    </div>
  ))
}

function statusOf(
  { conversationId: id, status }: ShownNode,
  waiting: readonly string[],
): ShownNode['status'] | 'waiting' {
  return waiting.includes(id) ? 'waiting' : status
}

type ShownNode = Pick<AgentNode, 'conversationId' | 'status' | 'durationMs' | 'usage'> & {
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
  /** Whether the agents below it follow. */
  readonly isTree: boolean
  readonly cost?: string
}

function Agent({ node, status, waiting, isTree, cost }: AgentProps): ReactNode {
  const { conversationId: id, children } = node
  const title = useAgentTitle(id)
  const navigator = useNavigator()
  const tone = useTone(id)
  const isCurrent = useReaderPlace().conversationId === id
  return (
    <li data-agent={id} data-status={status}>
      <button
        type="button"
        className="agent"
        data-tone={tone}
        title={title}
        aria-current={isCurrent ? 'location' : undefined}
        onClick={() => navigator.goToAgent(id)}
      >
        <bdi className="agent-name">{title}</bdi>
        {status !== 'success' && status !== 'finished' && <StatusMark status={status} />}
        {status === 'running' && id !== 'main' && <Doing conversationId={id} />}
        <Figures node={node} cost={cost} />
      </button>
      {isTree && children.length > 0 && (
        <ul>
          {children.map((child) => (
            <Agent
              key={child.conversationId}
              node={child}
              status={statusOf(child, waiting)}
              waiting={waiting}
              isTree
            />
          ))}
        </ul>
      )}
    </li>
  )
}

interface FiguresProps {
  readonly node: ShownNode
  readonly cost: string | undefined
}

function Figures({ node: { usage, durationMs, children }, cost }: FiguresProps): ReactNode {
  const own = tokensOf(usage.own)
  const all = children.length > 0 ? tokensOf(usage.total) : undefined
  // Agents below it may have no figures.
  const total = all === own ? undefined : all
  return (
    <>
      <span className="figures">
        {[cost, own, durationMs === undefined ? undefined : formatDuration(durationMs)]
          .filter(Boolean)
          .join(' · ')}
      </span>
      {total && <span className="figures">{total} in all</span>}
    </>
  )
}
