import type { ReactNode } from 'react'

interface ScrolledTextProps {
  readonly label: string
  /** The name of the shown field of the block, for tests. */
  readonly field: string
  readonly children: ReactNode
}

/** A text that scrolls if it is long. Not every browser makes such a box focusable by default. */
export function ScrolledText({ label, field, children }: ScrolledTextProps): ReactNode {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
    <pre className="scrolled" role="group" aria-label={label} tabIndex={0} data-field={field}>
      {children}
    </pre>
  )
}
