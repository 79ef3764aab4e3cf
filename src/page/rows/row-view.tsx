import { findSubagent } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type MemoExoticComponent, memo, type ReactNode, useMemo } from 'react'
import { Block } from '../blocks/block.tsx'
import { Orphan } from '../blocks/orphan.tsx'
import { Markdown } from '../text/markdown.tsx'
import { Pause } from '../time/pause.tsx'
import { ToolRun } from '../tools/tool-run.tsx'
import { MOST_LEVELS, type Row } from './row.ts'
import { useTone } from './tone.ts'

interface RowViewProps {
  readonly row: Row
  readonly index: number
  /** The minute for the gutter, if it is another one than that of the row above. */
  readonly minute: string | undefined
  /** Measures the height of the row. */
  readonly measure: (element: Element | null) => (() => void) | undefined
}

/** A row with a line for each agent around it. */
export const RowView: MemoExoticComponent<typeof MeasuredRow> = memo(MeasuredRow)

function MeasuredRow({ row, index, minute, measure }: RowViewProps): ReactNode {
  const { key, lanes, type } = row
  return (
    <div
      ref={measure}
      className={`row row-${type}`}
      data-index={index}
      data-row={key}
      data-depth={Math.min(lanes.length, MOST_LEVELS)}
    >
      {lanes.slice(0, MOST_LEVELS).map((agent, at) => (
        <LaneLine key={agent} agentId={agent} at={at} />
      ))}
      {type === 'block' && <Pause conversationId={row.conversationId} blockId={row.blockId} />}
      {type === 'run' && <Pause conversationId={row.conversationId} blockId={row.blockIds[0] ?? ''} />}
      {minute !== undefined && <span className="minute">{minute}</span>}
      <Content row={row} />
    </div>
  )
}

function LaneLine({ agentId, at }: { readonly agentId: string; readonly at: number }): ReactNode {
  return <span className={`lane lane-${at}`} data-tone={useTone(agentId)} aria-hidden="true" />
}

function Content({ row }: { readonly row: Row }): ReactNode {
  switch (row.type) {
    case 'block':
      return <Block conversationId={row.conversationId} blockId={row.blockId} />
    case 'run':
      return <ToolRun row={row} />
    case 'orphan':
      return <Orphan agentId={row.conversationId} id={row.key} />
    case 'report':
      return <Report agentId={row.conversationId} />
    case 'repeated':
      return <p className="note">The same agent as around this.</p>
  }
}

/** The agent's output for its parent. */
function Report({ agentId }: { readonly agentId: string }): ReactNode {
  const select = useMemo<Selector<string>>(
    () => (state) => findSubagent(state, agentId)?.output ?? '',
    [agentId],
  )
  return (
    <article className="report" aria-label="Output of the agent" data-report={agentId}>
      <span className="note-name">Handed back</span>
      <Markdown text={useSession(select)} field="output" />
    </article>
  )
}
