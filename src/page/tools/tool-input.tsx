import type { ReactNode } from 'react'
import { languageOf } from '../../cli/markdown/highlight.ts'
import { planInInput } from '../../core/selectors/todos.ts'
import type { ToolKind } from '../../programs/tool-kind.ts'
import { showControls } from '../../redaction/printable.ts'
import { lastLine } from '../blocks/one-line.ts'
import { ScrolledText } from '../blocks/scrolled-text.tsx'
import { Todos } from '../session/todo-list.tsx'
import { Code } from '../text/code-block.tsx'
import { CopyButton } from '../text/copy-button.tsx'
import { Change } from './changes.tsx'
import { editInInput } from './input-diff.ts'

interface ToolInputProps {
  readonly input: unknown
  readonly kind: ToolKind
  /** The result shows the changes, so the input need not. */
  readonly hasChanges: boolean
  /** Whether the call has succeeded. */
  readonly isDone: boolean
}

/** The arguments of a call in a list, none before a value has begun. A command and an edit have views of their own. */
export function ToolInput({ input, kind, hasChanges, isDone }: ToolInputProps): ReactNode {
  if (input === undefined) return null
  const plan = planInInput(input)
  const edit = kind === 'edit' && !hasChanges ? editInInput(input) : undefined
  const entries = isNamed(input) ? Object.entries(input) : [['input', input] as const]
  const hidden = plan ? PLANNED : (edit?.fields ?? (kind === 'edit' && hasChanges ? EDITED : NONE))
  const shown = entries.filter(([key]) => !hidden.has(key))
  return (
    <>
      {shown.length > 0 && (
        <dl className="tool-input">
          {shown.map(([key, value]) => (
            <div key={key}>
              <dt>{key}</dt>
              <dd>
                <Value name={key} value={value} input={input} kind={kind} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {plan && (
        <div className="todos">
          <Todos todos={plan} field="input" />
        </div>
      )}
      {edit && <Change change={edit.change} isRequested={!isDone} />}
    </>
  )
}

/** The fields that the diff of a result shows better. */
const EDITED: ReadonlySet<string> = new Set([
  ...['file_path', 'filePath', 'path', 'old_string', 'new_string', 'oldString', 'newString'],
  ...['content', 'edits', 'replace_all', 'replaceAll', 'changes'],
])

/** The fields that a list of todos shows better. */
const PLANNED: ReadonlySet<string> = new Set(['todos', 'plan'])

const NONE: ReadonlySet<string> = new Set()

interface ValueProps {
  readonly name: string
  readonly value: unknown
  readonly input: unknown
  readonly kind: ToolKind
}

function Value({ name, value, input, kind }: ValueProps): ReactNode {
  const text = kind === 'edit' ? editText(value) : valueText(value)
  const shown = showControls(text)
  const isLong = text.length > 80 || text.includes('\n') || name === 'command'
  return (
    <>
      <ScrolledText label={name} field="input">
        <Code text={shown} language={languageIn({ name, value, input, kind })} />
      </ScrolledText>
      {isLong && <CopyButton text={text} name={name} />}
    </>
  )
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '')
}

/** Returns the paths of a list of changes without lines, each with the kind of its change. */
function editText(value: unknown): string {
  if (!Array.isArray(value)) return valueText(value)
  const lines = value.map((item) => {
    const { path, kind, ...others } = Object(item)
    const isPlain = typeof path === 'string' && typeof kind === 'string' && Object.keys(others).length === 0
    return isPlain ? `${kind} ${path}` : undefined
  })
  return lines.includes(undefined) ? valueText(value) : lines.join('\n')
}

function languageIn({ name, value, input, kind }: ValueProps): string | undefined {
  if (typeof value !== 'string') return 'json'
  if (kind === 'command' && name === 'command') return 'bash'
  const path = isNamed(input) ? Object.entries(input).find(([key]) => /path/i.test(key))?.[1] : undefined
  return name === 'content' && typeof path === 'string' ? languageOf(path) : undefined
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
