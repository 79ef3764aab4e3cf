import { findSubagent, type SubagentBlock, type SubagentState, sumUsage } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import { Counted } from '../session/counted.tsx'
import { StatusMark } from '../session/status-mark.tsx'
import { TodoList } from '../session/todo-list.tsx'
import { secondsOf, tokensOf } from '../session/tokens.ts'
import { BlockFrame } from './block-frame.tsx'
import { NestedConversation } from './nested-conversation.tsx'

/** A subagent at the place of its call, with its running conversation. */
export function Subagent({ block }: { readonly block: SubagentBlock }): ReactNode {
  const title = block.description ?? block.name ?? 'Subagent'
  return (
    <BlockFrame block={block} label={`Subagent ${title}`}>
      <details open>
        <summary>
          <Counted block={block}>
            <span className="summary-name">{title}</span>
            <Facts block={block} />
            <StatusMark status={block.status} />
          </Counted>
        </summary>
        <TodoList conversationId={block.toolUseId} isOpen={false} />
        <NestedConversation conversationId={block.toolUseId} />
        <Report block={block} />
      </details>
    </BlockFrame>
  )
}

function Facts({ block }: { readonly block: SubagentBlock }): ReactNode {
  const usage = useUsage(block.toolUseId)
  const facts = [
    block.description === undefined ? undefined : block.name,
    usage?.findLast(({ model }) => model !== undefined)?.model,
    usage && tokensOf(sumUsage(usage)),
    block.durationMs === undefined ? undefined : secondsOf(block.durationMs),
  ]
  return <span className="preview">{facts.filter(Boolean).join(' · ')}</span>
}

/** The agent's output for its parent, unless its last text is the same. */
function Report({ block: { toolUseId, output } }: { readonly block: SubagentBlock }): ReactNode {
  const select = useMemo<Selector<boolean>>(
    () => (state) => lastText(findSubagent(state, toolUseId)) === output,
    [toolUseId, output],
  )
  const isLastText = useSession(select)
  if (isLastText || output === undefined || output === '') return null
  return (
    <div className="report">
      <span className="note-name">Handed back</span>
      <div className="text" data-field="output">
        {output}
      </div>
    </div>
  )
}

function lastText(subagent: SubagentState | undefined): string | undefined {
  const last = subagent?.blocks.at(-1)
  return last?.type === 'assistant_text' ? last.content : undefined
}

/** Selects the usage alone, because the subagent changes with each delta. */
function useUsage(toolUseId: string): SubagentState['usage'] | undefined {
  const select = useMemo<Selector<SubagentState['usage'] | undefined>>(
    () => (state) => findSubagent(state, toolUseId)?.usage,
    [toolUseId],
  )
  return useSession(select)
}
