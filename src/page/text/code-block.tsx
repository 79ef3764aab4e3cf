import { type ReactNode, useMemo } from 'react'
import { highlight } from '../../cli/markdown/highlight.ts'
import { CopyButton } from './copy-button.tsx'

interface CodeProps {
  readonly text: string
  readonly language: string | undefined
}

/** A block of code with its language and a button that copies it. */
export function CodeBlock({ text, language }: CodeProps): ReactNode {
  return (
    <div className="code-block" dir="ltr">
      <div className="code-head">
        <span>{language}</span>
        <CopyButton text={text} name="code" />
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1 */}
      <pre className="code" role="group" aria-label={language ? `Code, ${language}` : 'Code'} tabIndex={0}>
        <Code text={text} language={language} />
      </pre>
    </div>
  )
}

/** Code with the colours of its language. */
export function Code({ text, language }: CodeProps): ReactNode {
  const parts = useMemo(() => highlight(text, language), [text, language])
  return (
    <code>
      {parts?.map((part, at) =>
        part.kind === undefined ? (
          part.text
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
          <span key={at} className={`code-${part.kind}`}>
            {part.text}
          </span>
        ),
      ) ?? text}
    </code>
  )
}
