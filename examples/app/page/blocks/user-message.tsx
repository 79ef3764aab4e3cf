import type { UserMessageBlock, UserMessageOrigin } from 'agentfold'
import type { ReactNode } from 'react'
import { Counted } from '../session/counted.tsx'
import { Changes, filesText } from '../tools/changes.tsx'
import { BlockFrame } from './block-frame.tsx'
import { ContentPart } from './content-part.tsx'
import { oneLine } from './one-line.ts'

type UserMessageProps = { readonly block: UserMessageBlock }

/** A message of a user. A message that the program wrote in the user's name is closed. */
export function UserMessage({ block }: UserMessageProps): ReactNode {
  const name = nameOf(block)
  return (
    <Counted block={block}>
      <BlockFrame block={block} label={name}>
        {block.origin ? <ProgramMessage block={block} name={name} /> : <Content block={block} />}
        {block.changes && block.changes.length > 0 && <TurnChanges changes={block.changes} />}
      </BlockFrame>
    </Counted>
  )
}

/** The files that the turn has changed. */
function TurnChanges({ changes }: Required<Pick<UserMessageBlock, 'changes'>>): ReactNode {
  return (
    <details className="turn-changes">
      <summary>
        <span className="summary-name">Changed</span>
        <span className="preview">{filesText(changes)}</span>
      </summary>
      <Changes changes={changes} />
    </details>
  )
}

/** In a subagent's conversation, the parent agent writes the prompt. */
function nameOf({ origin, conversationId }: UserMessageBlock): string {
  if (origin) return ORIGINS[origin]
  return conversationId === 'main' ? 'User' : 'Prompt'
}

const ORIGINS: Readonly<Record<UserMessageOrigin, string>> = {
  command: 'Command',
  notification: 'Notification',
  summary: 'Summary of earlier messages',
  meta: 'Note of the program',
}

function ProgramMessage({ block, name }: UserMessageProps & { readonly name: string }): ReactNode {
  return (
    <details>
      <summary>
        <span className="summary-name">{name}</span>
        <span className="preview">{typeof block.content === 'string' ? oneLine(block.content) : ''}</span>
      </summary>
      <Content block={block} />
    </details>
  )
}

function Content({ block: { content } }: UserMessageProps): ReactNode {
  if (typeof content !== 'string')
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
    return content.map((part, at) => <ContentPart key={at} part={part} />)
  return (
    <div className="text" data-field="content">
      {content}
    </div>
  )
}
