import type { ReactNode } from 'react'
import type { ToolResultBlock } from '../../core/state/block.ts'
import type { ToolKind } from '../../programs/tool-kind.ts'
import { lastLines } from '../../sinks/markdown/text/escape.ts'
import { BlockFrame } from '../blocks/block-frame.tsx'
import { InlineImage, Thumbnail } from '../blocks/content-part.tsx'
import { oneLine } from '../blocks/one-line.ts'
import { Counted } from '../session/counted.tsx'
import { Markdown } from '../text/markdown.tsx'
import { OutputText } from '../text/output-text.tsx'
import { withoutColors } from '../text/terminal-text.tsx'
import { Changes, linesText } from './changes.tsx'
import { type OutputPart, outputParts, outputText } from './output.ts'

/** The start of a result, visible while the call is closed. The end of a failed call says why. */
export function ResultPreview({ block }: { readonly block: ToolResultBlock }): ReactNode {
  const text = outputText(block.output).trim()
  const isData = /^[[{]\s*["{[\]}]/.test(text)
  const lines = isData ? [text] : text.split('\n')
  const shown = block.isError ? lastLines(withoutColors(text), LAST_LINES) : lines.slice(0, 1)
  const further = lines.length - shown.length
  return (
    <span className="result-preview">
      <span className="preview-lines">
        {(shown.length > 0 ? shown : ['']).map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and keep their places
          <span key={at} className="preview">
            {previewOf(line) || 'no output'}
          </span>
        ))}
      </span>
      {outputParts(block.output).map(
        (part, at) =>
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
          part.type === 'image' && <Thumbnail key={at} {...part} />,
      )}
      {further > 0 && (
        <span className="further">
          +{further} {further === 1 ? 'line' : 'lines'}
        </span>
      )}
      {block.changes && <span className="further">{linesText(block.changes)} lines</span>}
    </span>
  )
}

/** The lines of a failure that a closed call shows. */
const LAST_LINES = 3

/** Returns a text on one line, without colours and without the tag that marks an error. */
function previewOf(text: string): string {
  return withoutColors(oneLine(text)).replace(/<\/?tool_use_error>/g, '')
}

interface ToolResultProps {
  readonly block: ToolResultBlock
  /** The kind of the tool; absent if its call is not known. */
  readonly kind?: ToolKind
}

/** The result of a call. */
export function ToolResult({ block, kind }: ToolResultProps): ReactNode {
  return (
    <Counted block={block}>
      <BlockFrame block={block} label={block.isError ? 'Error of the tool' : 'Result'}>
        {block.changes ? (
          <Changes changes={block.changes} />
        ) : (
          outputParts(block.output).map((part, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts have no id, and keep their places
            <Part key={at} part={part} isMarkdown={kind === 'web'} isError={block.isError} />
          ))
        )}
      </BlockFrame>
    </Counted>
  )
}

interface PartProps {
  readonly part: OutputPart
  readonly isMarkdown: boolean
  readonly isError: boolean
}

function Part({ part, isMarkdown, isError }: PartProps): ReactNode {
  if (part.type === 'image') return <InlineImage {...part} />
  if (isMarkdown && !isError && part.text.length < 20_000) return <Markdown text={part.text} field="output" />
  return <OutputText text={part.text} label="Output" field="output" isEndFirst={isError} />
}
