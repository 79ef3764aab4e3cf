import { fileChanges } from 'agentfold'
import { useSession } from 'agentfold/react'
import type { ReactNode } from 'react'
import { addToList } from '../../core/json/lists.ts'
import type { SessionFileChange } from '../../core/selectors/file-changes.ts'
import { Details } from '../rows/details.tsx'
import { useNavigator } from '../rows/navigator.tsx'
import { usePath } from '../session/use-path.ts'
import { Change, linesText } from './changes.tsx'

/** The files that the session has changed, each with its diffs and links to the calls. Empty without any. */
export function ChangedFiles(): ReactNode {
  const changes = useSession(fileChanges, areSameChanges)
  const files = new Map<string, SessionFileChange[]>()
  for (const change of changes) addToList(files, change.path, change)
  if (files.size === 0) return null
  return (
    <section className="changed-files" aria-label="Changed files">
      <ul>
        {[...files].map(([path, ofFile]) => (
          <li key={path}>
            <ChangedFile path={path} changes={ofFile} />
          </li>
        ))}
      </ul>
    </section>
  )
}

interface ChangedFileProps {
  readonly path: string
  readonly changes: readonly SessionFileChange[]
}

function ChangedFile({ path, changes }: ChangedFileProps): ReactNode {
  const navigator = useNavigator()
  const shown = usePath(path)
  return (
    <Details
      id={`file ${path}`}
      summary={
        <>
          <span className="changed-path">{shown}</span>
          <span className="further">{linesText(changes)}</span>
        </>
      }
    >
      {() =>
        changes.map(({ toolUseId, conversationId, ...change }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a call may change a file twice, and the changes keep their places
          <div key={at}>
            <Change change={change} isNamed />
            {toolUseId !== undefined && (
              <button
                type="button"
                className="more"
                onClick={() => navigator.goToBlock(conversationId, toolUseId)}
              >
                Go to the call
              </button>
            )}
          </div>
        ))
      }
    </Details>
  )
}

function areSameChanges(left: readonly SessionFileChange[], right: readonly SessionFileChange[]): boolean {
  return left.length === right.length && left.every((change, at) => isSameChange(change, right[at]))
}

function isSameChange(left: SessionFileChange, right: SessionFileChange | undefined): boolean {
  return left.path === right?.path && left.toolUseId === right.toolUseId && left.hunks === right.hunks
}
