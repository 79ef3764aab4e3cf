import { branches, type ConversationBlock } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { type ReactNode, useMemo } from 'react'
import type { Branch } from '../../core/state/session.ts'
import { Details } from '../rows/details.tsx'
import { oneLine } from './one-line.ts'

/** The blocks of the branch that a person abandoned by the rewind with that id. Closed, because they are no part of the conversation. */
export function AbandonedBranch({ id }: Pick<Branch, 'id'>): ReactNode {
  const select = useMemo<Selector<Branch | undefined>>(
    () => (state) => branches(state).find((branch) => branch.id === id),
    [id],
  )
  const branch = useSession(select)
  if (!branch) return null
  const { blocks } = branch
  return (
    <div className="abandoned" data-branch={id}>
      <Details
        id={`branch ${id}`}
        summary={
          <>
            <span className="summary-name">Abandoned branch</span>
            <span className="preview">{blocks.length === 1 ? '1 block' : `${blocks.length} blocks`}</span>
          </>
        }
      >
        {() => (
          <ol>
            {blocks.map((block) => (
              <li key={block.id}>
                <span className="note-name">{block.type.replace('_', ' ')}</span>{' '}
                <span className="text">{oneLine(textOf(block))}</span>
              </li>
            ))}
          </ol>
        )}
      </Details>
    </div>
  )
}

function textOf(block: ConversationBlock): string {
  if ('content' in block) return typeof block.content === 'string' ? block.content : '…'
  if ('message' in block) return block.message
  if ('title' in block) return block.title
  return 'toolName' in block ? block.toolName : ''
}
