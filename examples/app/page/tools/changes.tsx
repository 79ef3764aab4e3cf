import type { DiffHunk, FileChange } from 'agentfold'
import type { ReactNode } from 'react'
import { ScrolledText } from '../blocks/scrolled-text.tsx'

/** The changed files, each with its lines as a unified diff. */
export function Changes({ changes }: { readonly changes: readonly FileChange[] }): ReactNode {
  return changes.map((change, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a file may change twice, and the changes keep their places
    <Change key={at} change={change} />
  ))
}

const KINDS: Readonly<Record<FileChange['kind'], string>> = {
  add: 'added',
  edit: 'edited',
  delete: 'deleted',
  move: 'moved',
}

function Change({ change }: { readonly change: FileChange }): ReactNode {
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
        <ScrolledText label={`Changed lines of ${path}`} field="diff">
          {hunks.map((hunk) => (
            <Hunk key={`${hunk.oldStart} ${hunk.newStart}`} hunk={hunk} />
          ))}
        </ScrolledText>
      )}
    </section>
  )
}

function Hunk({
  hunk: { oldStart, oldLines, newStart, newLines, lines },
}: {
  readonly hunk: DiffHunk
}): ReactNode {
  return (
    <>
      <span className="hunk-head">{`@@ -${oldStart},${oldLines} +${newStart},${newLines} @@\n`}</span>
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and keep their places
        <span key={at} className={classOf(line)}>{`${line}\n`}</span>
      ))}
    </>
  )
}

function classOf(line: string): string | undefined {
  if (line.startsWith('+')) return 'added'
  return line.startsWith('-') ? 'removed' : undefined
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
