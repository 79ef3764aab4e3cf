import type { ReactNode } from 'react'
import { errorText } from '../../core/selectors/failure.ts'
import type { ErrorBlock, SkillLoadBlock, SystemBlock } from '../../core/state/block.ts'
import { Details } from '../rows/details.tsx'
import { rowKey } from '../rows/row.ts'
import { Counted } from '../session/counted.tsx'
import { Markdown } from '../text/markdown.tsx'
import { TerminalText, withoutColors, withoutTags } from '../text/terminal-text.tsx'
import { AbandonedBranch } from './abandoned-branch.tsx'
import { BlockFrame } from './block-frame.tsx'
import { oneLine } from './one-line.ts'

export function SystemNote({ block }: { readonly block: SystemBlock }): ReactNode {
  return (
    <>
      <Note block={block} label={`System, ${nameOf(block)}`}>
        {nameOf(block)}
      </Note>
      <AbandonedBranch id={block.id} />
    </>
  )
}

function nameOf({ subtype }: SystemBlock): string {
  return subtype.replaceAll('_', ' ')
}

export function ErrorNote({ block }: { readonly block: ErrorBlock }): ReactNode {
  return (
    <Note block={block} label="Error">
      Error{block.code !== undefined && ` ${block.code}`}
    </Note>
  )
}

interface NoteProps {
  readonly block: SystemBlock | ErrorBlock
  readonly label: string
  readonly children: ReactNode
}

/** A note with its name and its message. */
function Note({ block, label, children }: NoteProps): ReactNode {
  const message = block.type === 'error' ? errorText(block.message) : withoutTags(block.message)
  return (
    <Counted block={block}>
      <BlockFrame block={block} label={label}>
        {message.length > LONG || message.includes('\n') ? (
          <Details
            id={rowKey(block.conversationId, block.id)}
            isOpenByDefault={block.type === 'error'}
            summary={
              <>
                <span className="note-name">{children}</span>
                <span className="preview">{oneLine(withoutColors(message))}</span>
              </>
            }
          >
            {() => <Message text={message} />}
          </Details>
        ) : (
          <>
            <span className="note-name">{children}</span>
            <Message text={message} />
          </>
        )}
      </BlockFrame>
    </Counted>
  )
}

/** Longer messages are closed at first. In UTF-16 units. */
const LONG = 240

function Message({ text }: { readonly text: string }): ReactNode {
  return (
    <span className="text" data-field="message">
      <TerminalText text={text} />
    </span>
  )
}

export function SkillNote({ block }: { readonly block: SkillLoadBlock }): ReactNode {
  return (
    <Counted block={block}>
      <BlockFrame block={block} label={`Skill ${block.skillName}`}>
        <Details
          id={rowKey(block.conversationId, block.id)}
          summary={
            <>
              <span className="summary-name">Skill</span>
              <span className="preview">{block.skillName}</span>
            </>
          }
        >
          {() => <Markdown text={block.content} field="content" />}
        </Details>
      </BlockFrame>
    </Counted>
  )
}
