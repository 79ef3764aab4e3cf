import { findSubagent, type SubagentState, sumUsage } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import type { SubagentBlock } from '../../core/state/block.ts'
import { formatDuration } from '../../sinks/markdown/text/values.ts'
import { Details } from '../rows/details.tsx'
import { rowKey } from '../rows/row.ts'
import { isAgentOpen } from '../rows/rows-of.ts'
import { useTone } from '../rows/tone.ts'
import { useAgentTitle } from '../session/agent-title.ts'
import { Counted } from '../session/counted.tsx'
import { Doing } from '../session/doing.tsx'
import { StatusMark } from '../session/status-mark.tsx'
import { TodoList } from '../session/todo-list.tsx'
import { tokensOf } from '../session/tokens.ts'
import { When } from '../text/when.tsx'
import { BlockFrame } from './block-frame.tsx'

/** A subagent at the place of its call. The rows after it have its conversation. */
export function Subagent({ block }: { readonly block: SubagentBlock }): ReactNode {
  const tone = useTone(block.toolUseId)
  const title = useAgentTitle(block.toolUseId)
  return (
    <BlockFrame block={block} label={`Subagent ${title}`} tone={tone}>
      <Details
        id={rowKey(block.conversationId, block.id)}
        isOpenByDefault={useSession(isAgentOpen)}
        summary={
          <>
            <Counted block={block}>
              <span className="summary-name">{title}</span>
              <Facts block={block} />
              <When timestamp={block.timestamp} />
              {block.status !== 'success' && <StatusMark status={block.status} />}
            </Counted>
            {/* It changes with each delta of the agent. */}
            {block.status === 'running' && <Doing conversationId={block.toolUseId} />}
          </>
        }
      >
        {() => <TodoList conversationId={block.toolUseId} isOpen={false} />}
      </Details>
    </BlockFrame>
  )
}

function Facts({ block }: { readonly block: SubagentBlock }): ReactNode {
  const usage = useUsage(block.toolUseId)
  const facts = [
    block.description === undefined ? undefined : block.name,
    usage?.findLast(({ model }) => model !== undefined)?.model,
    usage && tokensOf(sumUsage(usage)),
    block.durationMs === undefined ? undefined : formatDuration(block.durationMs),
  ]
  return <span className="preview">{facts.filter(Boolean).join(' · ')}</span>
}

/** Selects the usage alone, because the subagent changes with each delta. */
function useUsage(toolUseId: string): SubagentState['usage'] | undefined {
  const select = useMemo<Selector<SubagentState['usage'] | undefined>>(
    () => (state) => findSubagent(state, toolUseId)?.usage,
    [toolUseId],
  )
  return useSession(select)
}
