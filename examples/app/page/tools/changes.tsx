import type { DiffHunk, FileChange } from 'agentfold'
import type { ReactNode } from 'react'

/** A longer diff is closed at first. In lines. */
const SMALL = 60

/** The changed files, each with its lines as a unified diff. */
export function Changes({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  return changes.map((change, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a file may change twice, and the changes keep their places
    <Change key={at} change={change} />
  ))
}

/** Whether there are changed lines, and few enough to show them without a click. */
export function isSmall(changes: readonly FileChange[] | undefined): boolean {
  const lines = (changes ?? []).flatMap(({ hunks = [] }) => hunks.flatMap((hunk) => hunk.lines)).length
  return lines > 0 && lines <= SMALL
}

const KINDS: Readonly<Record<FileChange['kind'], string>> = {
  add: 'added',
  edit: 'edited',
  delete: 'deleted',
  move: 'moved',
}

export function Change({ change }: { readonly change: FileChange }): ReactNode {
  const { path, kind, from, hunks = [] } = change
  return (
    <section className="change" aria-label={`${path}, ${KINDS[kind]}`}>
      <p className="change-head">
        <code className="change-path">{from === undefined ? path : `${from} → ${path}`}</code>
        <span className="note">
          {KINDS[kind]}, {linesText([change])}
        </span>
      </p>
      {hunks.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling boxes must be focusable, WCAG 2.1.1
        <div className="diff" role="group" aria-label={`Changed lines of ${path}`} tabIndex={0}>
          {hunks.map((hunk, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: hunks have no id, and keep their places
            <Hunk key={at} hunk={hunk} />
          ))}
        </div>
      )}
    </section>
  )
}

function Hunk({ hunk }: { readonly hunk: DiffHunk }): ReactNode {
  const { oldStart, oldLines, newStart, newLines } = hunk
  return (
    <>
      <span className="hunk-head">{`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`}</span>
      {numbered(hunk).map(({ line, before, after }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and keep their places
        <div key={at} className={`diff-line ${classOf(line)}`}>
          <span className="line-number">{before}</span>
          <span className="line-number">{after}</span>
          <span className="line-text" data-field="diff">
            {line}
          </span>
        </div>
      ))}
    </>
  )
}

interface NumberedLine {
  readonly line: string
  readonly before: number | undefined
  readonly after: number | undefined
}

/** Returns the lines with their numbers in the old and in the new file. */
function numbered({ oldStart, newStart, lines }: DiffHunk): readonly NumberedLine[] {
  let [before, after] = [oldStart, newStart]
  return lines.map((line) => ({
    line,
    before: /^[ -]/.test(line) ? before++ : undefined,
    after: /^[ +]/.test(line) ? after++ : undefined,
  }))
}

function classOf(line: string): string {
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : ''
}

/** Returns the number of lines that the changes add and remove, such as `+120 −8`. */
export function linesText(changes: readonly Pick<FileChange, 'added' | 'removed'>[]): string {
  const added = changes.reduce((sum, change) => sum + change.added, 0)
  const removed = changes.reduce((sum, change) => sum + change.removed, 0)
  return `+${added} −${removed}`
}

/** Returns the number of changed files with their lines, such as `4 files, +120 −8`. */
export function filesText(changes: readonly Pick<FileChange, 'path' | 'added' | 'removed'>[]): string {
  const files = new Set(changes.map(({ path }) => path)).size
  return `${files} file${files === 1 ? '' : 's'}, ${linesText(changes)}`
}
