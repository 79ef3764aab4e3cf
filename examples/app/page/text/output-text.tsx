import { type ReactNode, useState } from 'react'
import { ScrolledText } from '../blocks/scrolled-text.tsx'
import { CopyButton } from './copy-button.tsx'
import { TerminalText } from './terminal-text.tsx'

/** Longer texts make the page slow, so their rest is shown when the reader asks for it. In UTF-16 units. */
const LONGEST = 30_000

interface OutputTextProps {
  readonly text: string
  readonly label: string
  readonly field: string
}

/** A text of a tool as the terminal shows it. */
export function OutputText({ text, label, field }: OutputTextProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false)
  const shown = isWhole ? text : text.slice(0, LONGEST)
  return (
    <div className="output-text">
      <ScrolledText label={label} field={field}>
        <TerminalText text={shown} />
      </ScrolledText>
      <CopyButton text={text} name={label.toLowerCase()} />
      {shown.length < text.length && (
        <button type="button" className="more" onClick={() => setIsWhole(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}
