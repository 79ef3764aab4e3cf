import type { FileChange } from 'agentfold'
import { type ReactNode, useMemo, useState } from 'react'
import { languageOf } from '../../cli/markdown/highlight.ts'
import { type DiffHunk, sumChanges } from '../../core/state/file-change.ts'
import { showControls } from '../../redaction/printable.ts'
import { countsText, plural } from '../../sinks/markdown/text/values.ts'
import { useIsPrinting } from '../rows/open-state.tsx'
import { usePath } from '../session/use-path.ts'
import { Code } from '../text/code-block.tsx'

/** The lines of a change that are shown at first, with the head of its first hunk. */
const FEW_LINES = 25

/** So many changed files are open at first. */
const FEW_FILES = 4

/** The changed files, each with its lines as a unified diff. */
export function Changes({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  return changes.map((change, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a file may change twice, and the changes keep their places
    <Change key={at} change={change} />
  ))
}

/** Whether there are changed lines, of few enough files to show them without a click. */
export function isSmall(changes: readonly FileChange[] = []): boolean {
  return changes.length <= FEW_FILES && changes.some(({ hunks = [] }) => hunks.length > 0)
}

const KINDS: Readonly<Record<FileChange['kind'], string>> = {
  add: 'added',
  edit: 'edited',
  delete: 'deleted',
  move: 'moved',
}

/** A change that nobody has made yet, or that failed. */
const REQUESTED: typeof KINDS = { add: 'new file', edit: 'edit', delete: 'deletion', move: 'move' }

interface ChangeProps {
  readonly change: FileChange
  /** Whether the change is only asked for. */
  readonly isRequested?: boolean
  /** Whether the path is shown above already. */
  readonly isNamed?: boolean
}

export function Change({ change, isNamed = false, isRequested = false }: ChangeProps): ReactNode {
  const { kind, from, hunks = [] } = change
  const path = usePath(change.path)
  const origin = usePath(from ?? '')
  return (
    <div className="change">
      <p className="change-head">
        {!isNamed && <code className="change-path">{from === undefined ? path : `${origin} → ${path}`}</code>}
        <span className="note">
          {(isRequested ? REQUESTED : KINDS)[kind]}, {linesText([change])}
        </span>
      </p>
      {hunks.length > 0 && <Diff hunks={hunks} path={path} />}
    </div>
  )
}

interface DiffProps {
  readonly hunks: readonly DiffHunk[]
  readonly path: string
}

/** The changed lines of a file. A long diff shows its first lines, and the number of the others. */
function Diff({ hunks, path }: DiffProps): ReactNode {
  const isPrinting = useIsPrinting()
  const [isWhole, setIsWhole] = useState(false)
  const rows = useMemo(() => hunks.flatMap(rowsOf), [hunks])
  // A button for a single line is no gain.
  const isCut = !isWhole && !isPrinting && rows.length > FEW_LINES + 1
  const shown = isCut ? rows.slice(0, FEW_LINES) : rows
  const language = languageOf(path)
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1 */}
      <div className="diff" role="group" aria-label={`Changed lines of ${path}`} tabIndex={0}>
        {shown.map((row, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and keep their places
          <DiffLine key={at} row={row} language={language} />
        ))}
      </div>
      {isCut && (
        <button type="button" className="more" onClick={() => setIsWhole(true)}>
          {rows.length - FEW_LINES} more lines
        </button>
      )}
    </>
  )
}

function DiffLine({
  row,
  language,
}: {
  readonly row: DiffRow
  readonly language: string | undefined
}): ReactNode {
  const { line, before, after } = row
  if (line.startsWith('@@')) return <span className="hunk-head">{line}</span>
  return (
    <div className={`diff-line ${classOf(line)}`}>
      <span className="line-number">{before}</span>
      <span className="line-number">{after}</span>
      <span className="line-text" data-field="diff">
        <span className="sign">{line.slice(0, 1)}</span>
        <Code text={showControls(line.slice(1))} language={isNote(line) ? undefined : language} />
      </span>
    </div>
  )
}

/** Whether the line is about the file, such as a missing line break at its end, and no line of it. */
function isNote(line: string): boolean {
  return line.startsWith('\\')
}

interface DiffRow {
  readonly line: string
  /** The number of the line in the old file. */
  readonly before?: number | undefined
  readonly after?: number | undefined
}

/** Returns the head of a hunk, and its lines with their numbers in the old and in the new file. */
function rowsOf({ oldStart, oldLines, newStart, newLines, lines }: DiffHunk): readonly DiffRow[] {
  let [before, after] = [oldStart, newStart]
  const rows = lines.map((line) => ({
    line,
    before: /^[ -]/.test(line) ? before++ : undefined,
    after: /^[ +]/.test(line) ? after++ : undefined,
  }))
  return [{ line: `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@` }, ...rows]
}

function classOf(line: string): string {
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : ''
}

/** Returns the number of lines that the changes add and remove, such as `+120 −8`. */
export function linesText(changes: readonly Pick<FileChange, 'added' | 'removed'>[]): string {
  return countsText(sumChanges(changes))
}

/** Returns the number of changed files with their lines, such as `4 files, +120 −8`. */
export function filesText(changes: readonly Pick<FileChange, 'path' | 'added' | 'removed'>[]): string {
  const files = new Set(changes.map(({ path }) => path)).size
  return `${plural(files, 'file')}, ${linesText(changes)}`
}
