import { type MemoExoticComponent, memo, type ReactNode } from 'react'
import ReactMarkdown, { type Components, type Options } from 'react-markdown'
import remarkGfm from 'remark-gfm'
import { isCostlyMarkdown } from '../../../../src/cli/markdown/costly.ts'
import { CodeBlock } from './code-block.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { nestHeadings } from './nest-headings.ts'
import { OutputText } from './output-text.tsx'
import { limitDepth } from './tree-depth.ts'
import { visibleDirections } from './visible-directions.ts'

/**
 * A Markdown text. One that takes too long to read, or is nested too deep, is shown as it is. HTML in it is shown as text, a link may lead
 * to the web or to a mail address alone, and an image is shown as a link: loading it would tell its server who reads the session.
 */
export const Markdown: MemoExoticComponent<typeof MarkdownText> = memo(MarkdownText)

interface MarkdownProps {
  readonly text: string
  /** The name of the shown field of the block, for tests. */
  readonly field: string
}

function MarkdownText({ text, field }: MarkdownProps): ReactNode {
  const plain = (): ReactNode => <OutputText text={text} label="Text" field={field} />
  if (isCostlyMarkdown(text)) return plain()
  return (
    <ErrorBoundary value={text} fallback={plain}>
      <div className="markdown" data-field={field}>
        <ReactMarkdown remarkPlugins={PLUGINS} components={COMPONENTS} urlTransform={safeAddress}>
          {text}
        </ReactMarkdown>
      </div>
    </ErrorBoundary>
  )
}

const PLUGINS: Options['remarkPlugins'] = [remarkGfm, limitDepth, visibleDirections, nestHeadings]

const COMPONENTS: Components = {
  a: ({ href, children }) => <Address href={href}>{children}</Address>,
  img: ({ src, alt }) => <Address href={typeof src === 'string' ? src : undefined}>{alt || 'image'}</Address>,
  pre: ({ children }) => children,
  code: ({ className = '', children }) => {
    const text = String(children ?? '')
    const language = /language-(\S+)/.exec(className)?.[1]
    // A block of code ends with a line break; code within a line has none.
    return language !== undefined || text.includes('\n') ? (
      <CodeBlock text={text.replace(/\n$/, '')} language={language} />
    ) : (
      <code>{children}</code>
    )
  },
  table: ({ children }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <div className="table" role="group" aria-label="Table" tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <span className="check">{checked ? '☑' : '☐'}</span>,
}

interface AddressProps {
  readonly href: string | undefined
  readonly children: ReactNode
}

/** A link that names the reader to nobody. An address that is not allowed is shown as text. */
export function Address({ href, children }: AddressProps): ReactNode {
  if (!safeAddress(href)) return <span>{children}</span>
  return (
    <a href={href} rel="noopener noreferrer" target="_blank">
      {children}
    </a>
  )
}

/** Returns the address if it leads to the web or to a mail address; an empty text otherwise. */
export function safeAddress(href: string | undefined): string {
  return href !== undefined && /^(?:https?:\/\/|mailto:)/i.test(href) ? href : ''
}
