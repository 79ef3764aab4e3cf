import type { ReactNode } from 'react'
import { lastLine } from '../blocks/one-line.ts'
import { ScrolledText } from '../blocks/scrolled-text.tsx'

/** The arguments of a call in a list, none before a value has begun. It shows texts unchanged and other values as JSON. */
export function ToolInput({ input }: { readonly input: unknown }): ReactNode {
  if (input === undefined) return null
  const entries = isNamed(input) ? Object.entries(input) : [['input', input] as const]
  return (
    <dl className="tool-input">
      {entries.map(([key, value]) => (
        <div key={key}>
          <dt>{key}</dt>
          <dd>
            <ScrolledText label={key} field="input">
              {typeof value === 'string' ? value : JSON.stringify(value, null, 2)}
            </ScrolledText>
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** The end of an input that still streams, visible while the call is closed. */
export function StreamedInput({ input }: { readonly input: unknown }): ReactNode {
  const last = isNamed(input) ? Object.values(input).at(-1) : input
  if (typeof last !== 'string') return null
  return (
    <span className="result-preview">
      <span className="preview">{lastLine(last)}</span>
    </span>
  )
}

function isNamed(input: unknown): input is object {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}
