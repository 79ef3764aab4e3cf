import type { ReactNode } from 'react'

interface ScrolledTextProps {
  readonly label: string
  /** What it shows of its block. */
  readonly field: string
  readonly children: ReactNode
}

/** A text that scrolls once it is long. Not every browser lets the keyboard into such a box by itself. */
export function ScrolledText({ label, field, children }: ScrolledTextProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for what one fills in
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is to be reached, WCAG 2.1.1
    <pre className="scrolled" role="group" aria-label={label} tabIndex={0} data-field={field}>
      {children}
    </pre>
  )
}
