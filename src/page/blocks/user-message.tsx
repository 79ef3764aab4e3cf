import type { ReactNode } from 'react'
import type { UserMessageBlock, UserMessageOrigin } from '../../core/state/block.ts'
import { Details } from '../rows/details.tsx'
import { useOpen } from '../rows/open-state.tsx'
import { rowKey } from '../rows/row.ts'
import { Counted } from '../session/counted.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { Markdown } from '../text/markdown.tsx'
import { TerminalText, withoutColors, withoutTags } from '../text/terminal-text.tsx'
import { When } from '../text/when.tsx'
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
        {block.origin ? <ProgramMessage block={block} name={name} /> : <Prompt block={block} name={name} />}
        {block.changes && block.changes.length > 0 && <TurnChanges block={block} changes={block.changes} />}
      </BlockFrame>
    </Counted>
  )
}

/** The files that the turn has changed. */
function TurnChanges({
  block,
  changes,
}: UserMessageProps & Required<Pick<UserMessageBlock, 'changes'>>): ReactNode {
  return (
    <div className="turn-changes">
      <Details
        id={`${rowKey(block.conversationId, block.id)} changes`}
        summary={
          <>
            <span className="summary-name">Changed</span>
            <span className="preview">{filesText(changes)}</span>
          </>
        }
      >
        {() => <Changes changes={changes} />}
      </Details>
    </div>
  )
}

/** A prompt with its head. A person's prompt is a heading, so that screen readers and the list of prompts lead to it. */
function Prompt({ block, name }: UserMessageProps & { readonly name: string }): ReactNode {
  const { content, timestamp, conversationId } = block
  const isMain = conversationId === 'main'
  return (
    <>
      <div className="prompt-head">
        {isMain ? <h2 className="note-name">{name}</h2> : <span className="note-name">{name}</span>}
        <When timestamp={timestamp} hasDay={isMain} />
        {typeof content === 'string' && <CopyButton text={content} name="prompt" />}
      </div>
      <Content block={block} />
    </>
  )
}

/** In a subagent's conversation, the parent agent writes the prompt. */
function nameOf({ origin, conversationId }: UserMessageBlock): string {
  if (origin) return ORIGINS[origin]
  return conversationId === 'main' ? 'You' : 'Prompt'
}

const ORIGINS: Readonly<Record<UserMessageOrigin, string>> = {
  command: 'Command',
  notification: 'Notification',
  summary: 'Summary of earlier messages',
  meta: 'Note of the program',
}

function ProgramMessage({ block, name }: UserMessageProps & { readonly name: string }): ReactNode {
  return (
    <Details
      id={rowKey(block.conversationId, block.id)}
      summary={
        <>
          <span className="summary-name">{name}</span>
          <span className="preview">
            {typeof block.content === 'string' ? noticeText(block.content) : ''}
          </span>
        </>
      }
    >
      {() => (isMarkup(block) ? <Markup block={block} /> : <Content block={block} />)}
    </Details>
  )
}

/** Returns the start of a notice. Its summary says most; its tags say nothing to people. */
function noticeText(content: string): string {
  const start = content.indexOf('<summary>')
  const end = start < 0 ? -1 : content.indexOf('</summary>', start)
  const summary = end < 0 ? content : content.slice(start, end)
  return oneLine(withoutColors(withoutTags(summary.slice(0, 2000))))
}

/** Whether the message is marked up for the model or the terminal. Markdown would lose its lines. */
function isMarkup(block: UserMessageBlock): block is UserMessageBlock & { readonly content: string } {
  const { origin, content } = block
  return origin !== undefined && origin !== 'summary' && typeof content === 'string' && /^\s*</.test(content)
}

/** The tags of a note to the model stay: the model reads them. */
function Markup({ block }: { readonly block: UserMessageBlock & { readonly content: string } }): ReactNode {
  const { origin, content } = block
  return (
    <div className="prompt markup" data-field="content">
      {origin === 'command' ? <TerminalText text={withoutTags(content)} /> : content}
    </div>
  )
}

/** Longer prompts are cut at first. In UTF-16 units. */
const LONG = 1500

function Content({ block }: UserMessageProps): ReactNode {
  const { content, conversationId, id } = block
  const [isWhole, toggle] = useOpen(rowKey(conversationId, id))
  if (typeof content !== 'string')
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
    return content.map((part, at) => <ContentPart key={at} part={part} />)
  const isLong = content.length > LONG && !block.origin
  return (
    <>
      <div className={isLong && !isWhole ? 'prompt cut' : 'prompt'}>
        <Markdown text={content} field="content" />
      </div>
      {isLong && (
        <button type="button" className="more" aria-expanded={isWhole} onClick={toggle}>
          {isWhole ? 'Show less' : 'Show the whole prompt'}
        </button>
      )}
    </>
  )
}
