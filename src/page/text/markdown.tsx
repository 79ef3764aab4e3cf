import type { Token, Tokens } from 'marked'
import { type MemoExoticComponent, memo, type ReactNode, useMemo } from 'react'
import { isToken, markdownTokens } from '../../cli/markdown/tokens.ts'
import { CodeBlock } from './code-block.tsx'
import { headingLevels } from './heading-levels.ts'
import { Inline } from './inline.tsx'
import { OutputText } from './output-text.tsx'
import { isTooDeep } from './token-depth.ts'

/**
 * A Markdown text. One that takes too long to read, or is nested too deep, is shown as it is. HTML in it is shown as text, a link may lead
 * to the web or to a mail address alone, and an image is shown as a link. Loading it would tell its server who reads the session.
 */
export const Markdown: MemoExoticComponent<typeof MarkdownText> = memo(MarkdownText)

interface MarkdownProps {
  readonly text: string
  /** The name of the shown field of the block, for tests. */
  readonly field: string
}

function MarkdownText({ text, field }: MarkdownProps): ReactNode {
  const tokens = useMemo(() => {
    const found = markdownTokens(text)
    return found && !isTooDeep(found) ? found : undefined
  }, [text])
  const levels = useMemo(() => headingLevels(tokens ?? []), [tokens])
  if (!tokens) return <OutputText text={text} label="Text" field={field} />
  return (
    <div className="markdown" data-field={field}>
      <Blocks tokens={tokens} levels={levels} />
    </div>
  )
}

interface BlocksProps {
  readonly tokens: readonly Token[]
  readonly levels: ReadonlyMap<Token, number>
}

function Blocks({ tokens, levels }: BlocksProps): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
  return tokens.map((token, at) => <Block key={at} token={token} levels={levels} />)
}

function Block({ token, levels }: Pick<BlocksProps, 'levels'> & { readonly token: Token }): ReactNode {
  if (isToken(token, 'heading')) {
    const Heading = HEADINGS[(levels.get(token) ?? 3) - 3] ?? 'h6'
    return (
      <Heading dir="auto">
        <Inline tokens={token.tokens} />
      </Heading>
    )
  }
  if (isToken(token, 'code'))
    return <CodeBlock text={token.text} language={token.lang?.split(/\s/)[0] || undefined} />
  if (isToken(token, 'table')) return <Table token={token} />
  if (isToken(token, 'list')) return <List token={token} levels={levels} />
  if (isToken(token, 'blockquote'))
    return (
      <blockquote>
        <Blocks tokens={token.tokens} levels={levels} />
      </blockquote>
    )
  // A text in an item of a list has no space around it.
  if (isToken(token, 'text')) return <Inline tokens={token.tokens ?? [token]} />
  if (isToken(token, 'paragraph'))
    return (
      <p dir="auto">
        <Inline tokens={token.tokens} />
      </p>
    )
  if (token.type === 'hr') return <hr />
  return isHidden(token) ? null : <p dir="auto">{token.raw}</p>
}

const HEADINGS = ['h3', 'h4', 'h5', 'h6'] as const

/** The parser takes a footnote for the address of a link, which is shown nowhere else. */
function isHidden({ type, raw }: Token): boolean {
  return type === 'space' || type === 'checkbox' || (type === 'def' && !raw.startsWith('[^'))
}

function List({ token, levels }: Pick<BlocksProps, 'levels'> & { readonly token: Tokens.List }): ReactNode {
  const items = token.items.map(({ task, checked, tokens }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items have no id, and keep their places
    <li key={at} className={task ? 'task' : undefined}>
      {task && <span className="check">{checked ? '☑ ' : '☐ '}</span>}
      <Blocks tokens={tokens} levels={levels} />
    </li>
  ))
  if (!token.ordered) return <ul dir="auto">{items}</ul>
  return (
    <ol dir="auto" start={token.start === '' ? undefined : token.start}>
      {items}
    </ol>
  )
}

function Table({ token: { header, rows } }: { readonly token: Tokens.Table }): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <div className="table" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <Cells cells={header} tag="th" />
        </thead>
        <tbody>
          {rows.map((cells, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no id, and keep their places
            <Cells key={at} cells={cells} tag="td" />
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface CellsProps {
  readonly cells: readonly Tokens.TableCell[]
  readonly tag: 'th' | 'td'
}

function Cells({ cells, tag: Cell }: CellsProps): ReactNode {
  return (
    <tr>
      {cells.map(({ tokens, align }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells have no id, and keep their places
        <Cell key={at} dir="auto" style={align ? { textAlign: align } : undefined}>
          <Inline tokens={tokens} />
        </Cell>
      ))}
    </tr>
  )
}
