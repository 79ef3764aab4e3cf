import { type ReactNode, useEffect, useState } from 'react'

interface CopyButtonProps {
  readonly text: string
  /** The name of the text, for screen readers. */
  readonly name: string
  /** The words on the button. */
  readonly label?: string
}

/** A button that copies a text, and says for a moment whether it could. */
export function CopyButton({ text, name, label = 'Copy' }: CopyButtonProps): ReactNode {
  const [outcome, setOutcome] = useState<'Copied' | 'Not copied'>()
  useEffect(() => {
    if (!outcome) return
    const timer = setTimeout(() => setOutcome(undefined), 1500)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome('Copied'),
      () => setOutcome('Not copied'),
    )
  }
  return (
    <button type="button" className="copy" aria-label={`Copy ${name}`} onClick={copy}>
      <span aria-live="polite">{outcome ?? label}</span>
    </button>
  )
}
