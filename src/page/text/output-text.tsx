import { type ReactNode, useState } from 'react'
import { ScrolledText } from '../blocks/scrolled-text.tsx'
import { useIsPrinting } from '../rows/open-state.tsx'
import { CopyButton } from './copy-button.tsx'
import { TerminalText } from './terminal-text.tsx'

/** Longer texts make the page slow, so their rest is shown when the reader asks for it. In UTF-16 units. */
const LONGEST = 30_000

/** The lines of a failure that are shown at first: its reason is at its end. */
const LAST_LINES = 24

interface OutputTextProps {
  readonly text: string
  readonly label: string
  readonly field: string
  /** Whether the end of a long text is shown first, as for a failure. */
  readonly isEndFirst?: boolean
}

/** A text of a tool as the terminal shows it. */
export function OutputText({ text, label, field, isEndFirst = false }: OutputTextProps): ReactNode {
  const [isWanted, setIsWanted] = useState(false)
  const isWhole = useIsPrinting() || isWanted
  const before = isEndFirst && !isWhole ? linesBefore(text) : 0
  const from = before > 0 ? startOfLine(text, before) : 0
  const shown = isWhole ? text : text.slice(from, from + LONGEST)
  return (
    <div className="output-text">
      {before > 0 && (
        <button type="button" className="more" onClick={() => setIsWanted(true)}>
          {before.toLocaleString('en')} lines before
        </button>
      )}
      <ScrolledText label={label} field={field}>
        <TerminalText text={shown} />
      </ScrolledText>
      <CopyButton text={text} name={label.toLowerCase()} />
      {from + shown.length < text.length && (
        <button type="button" className="more" onClick={() => setIsWanted(true)}>
          Show all {text.length.toLocaleString('en')} characters
        </button>
      )}
    </div>
  )
}

/** Returns the number of lines before the last ones. A button for a single line is no gain. */
function linesBefore(text: string): number {
  const lines = text.trimEnd().split('\n').length
  return lines > LAST_LINES + 1 ? lines - LAST_LINES : 0
}

function startOfLine(text: string, line: number): number {
  let at = 0
  for (let passed = 0; passed < line; passed += 1) at = text.indexOf('\n', at) + 1
  return at
}
