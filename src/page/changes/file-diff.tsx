import { type ReactNode, useMemo, useState } from 'react'
import { languageOf } from '../../cli/markdown/highlight.ts'
import type { DiffHunk } from '../../core/state/file-change.ts'
import { showControls } from '../../redaction/printable.ts'
import { Details } from '../rows/details.tsx'
import { useNavigator } from '../rows/navigator.tsx'
import { useIsPrinting } from '../rows/open-state.tsx'
import { useAgentTitle } from '../session/agent-title.ts'
import { Code } from '../text/code-block.tsx'
import { When } from '../text/when.tsx'
import { linesText } from '../tools/changes.tsx'
import type { ChangedFile, TimedChange } from './changed-files.ts'
import { type DiffRow, diffRows, type PairedRow, pairedRows } from './diff-rows.ts'

interface FileDiffProps {
  readonly id: string
  readonly file: ChangedFile
  readonly isOpenByDefault: boolean
  readonly isSplit: boolean
  readonly ignoresSpace: boolean
}

const KINDS: Readonly<Record<ChangedFile['kind'], string>> = {
  add: 'new',
  edit: '',
  delete: 'deleted',
  move: 'moved',
}

/** A file with its diffs and the calls that made them. */
export function FileDiff({ id, file, isOpenByDefault, ...options }: FileDiffProps): ReactNode {
  const { path, kind, changes, diffs } = file
  const shown = showControls(path)
  return (
    <article className="file-diff" id={id} aria-label={shown}>
      <Details
        id={`changes ${path}`}
        isOpenByDefault={isOpenByDefault}
        summary={
          <>
            <code className="file-path">{shown}</code>
            {KINDS[kind] !== '' && <span className="file-kind">{KINDS[kind]}</span>}
            <span className="further">{linesText([file])}</span>
          </>
        }
      >
        {() => (
          <>
            <Calls changes={changes} />
            {diffs.length > 1 && (
              <p className="note">
                Something else has changed the file in between, so there are {diffs.length} diffs.
              </p>
            )}
            {diffs.map((hunks, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: diffs have no id, and keep their places
              <WideDiff key={at} hunks={hunks} path={path} {...options} />
            ))}
            {diffs.length === 0 && <p className="note">The program does not say which lines changed.</p>}
          </>
        )}
      </Details>
    </article>
  )
}

/** The calls that changed the file. A change of which only the sum of a turn is known has none. */
function Calls({ changes }: Pick<ChangedFile, 'changes'>): ReactNode {
  return (
    <ul className="file-calls" aria-label="Calls that changed it">
      {changes.map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call may change a file twice, and the changes keep their places
        <li key={at}>
          <Call change={change} />
        </li>
      ))}
    </ul>
  )
}

function Call({ change }: { readonly change: TimedChange }): ReactNode {
  const navigator = useNavigator()
  const { conversationId, toolUseId, time } = change
  const title = useAgentTitle(conversationId)
  const words = (
    <>
      {title} {linesText([change])}
      {time !== undefined && <When timestamp={new Date(time).toISOString()} />}
    </>
  )
  if (toolUseId === undefined) return <span className="note">{words}</span>
  return (
    <button
      type="button"
      className="more"
      title="Go to the call"
      onClick={() => navigator.goToBlock(conversationId, toolUseId)}
    >
      {words}
    </button>
  )
}

/** The rows of a diff that are shown at first. */
const MANY_ROWS = 600

interface WideDiffProps extends Pick<FileDiffProps, 'isSplit' | 'ignoresSpace'> {
  readonly hunks: readonly DiffHunk[]
  readonly path: string
}

function WideDiff({ hunks, path, isSplit, ignoresSpace }: WideDiffProps): ReactNode {
  const isPrinting = useIsPrinting()
  const [isWhole, setIsWhole] = useState(false)
  const rows = useMemo(() => diffRows(hunks, ignoresSpace), [hunks, ignoresSpace])
  const shown = isWhole || isPrinting ? rows : rows.slice(0, MANY_ROWS)
  const language = languageOf(path)
  if (rows.length === 0) return <p className="note">Only whitespace has changed.</p>
  return (
    <>
      <div className={isSplit ? 'wide-diff split' : 'wide-diff'}>
        {isSplit
          ? pairedRows(shown).map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and keep their places
              <Pair key={at} row={row} language={language} />
            ))
          : shown.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines have no id, and keep their places
              <Line key={at} row={row} language={language} />
            ))}
      </div>
      {shown.length < rows.length && (
        <button type="button" className="more" onClick={() => setIsWhole(true)}>
          {rows.length - shown.length} more lines
        </button>
      )}
    </>
  )
}

interface LineProps {
  readonly row: DiffRow
  readonly language: string | undefined
}

function Line({ row, language }: LineProps): ReactNode {
  if (row.type === 'head') return <span className="hunk-head">{row.text}</span>
  return (
    <div className={`diff-line ${row.type}`}>
      <span className="line-number">{row.before}</span>
      <span className="line-number">{row.after}</span>
      <LineText row={row} language={language} />
    </div>
  )
}

const SIGNS: Readonly<Record<DiffRow['type'], string>> = { head: '', same: ' ', added: '+', removed: '-' }

function LineText({ row, language }: LineProps): ReactNode {
  return (
    <span className="line-text">
      <span className="sign">{SIGNS[row.type]}</span>
      <Code text={showControls(row.text)} language={language} />
    </span>
  )
}

interface PairProps extends Pick<LineProps, 'language'> {
  readonly row: PairedRow
}

function Pair({ row: { left, right }, language }: PairProps): ReactNode {
  if (left?.type === 'head') return <span className="hunk-head">{left.text}</span>
  return (
    <div className="pair">
      <Side row={left} number={left?.before} language={language} />
      <Side row={right} number={right?.after} language={language} />
    </div>
  )
}

interface SideProps extends Pick<LineProps, 'language'> {
  readonly row: DiffRow | undefined
  readonly number: number | undefined
}

function Side({ row, number, language }: SideProps): ReactNode {
  if (!row) return <div className="diff-line none" />
  return (
    <div className={`diff-line ${row.type}`}>
      <span className="line-number">{number}</span>
      <LineText row={row} language={language} />
    </div>
  )
}
