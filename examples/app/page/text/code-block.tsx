import { toJsxRuntime } from 'hast-util-to-jsx-runtime'
import { type ReactNode, useMemo } from 'react'
import { Fragment, jsx, jsxs } from 'react/jsx-runtime'
import { CopyButton } from './copy-button.tsx'
import { highlight } from './highlight.ts'

interface CodeProps {
  readonly text: string
  readonly language: string | undefined
}

/** A block of code with its language and a button that copies it. */
export function CodeBlock({ text, language }: CodeProps): ReactNode {
  return (
    <div className="code-block">
      <div className="code-head">
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
  return useMemo(() => {
    const tree = highlight(text, language)
    return <code>{tree ? toJsxRuntime(tree, { Fragment, jsx, jsxs }) : text}</code>
  }, [text, language])
}
