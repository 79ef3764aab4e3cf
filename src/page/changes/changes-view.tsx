import { fileChanges, type SessionConversationState } from 'agentfold'
import { type ReactNode, useCallback, useEffect, useId, useState } from 'react'
import { formatDuration, plural } from '../../sinks/markdown/text/values.ts'
import { useAgentTitle } from '../session/agent-title.ts'
import { keepChoice, keptChoice } from '../session/kept.ts'
import { promptsIn } from '../session/prompts.tsx'
import { Roving } from '../session/roving.tsx'
import { useCalm } from '../session/use-calm.ts'
import { filesText, linesText } from '../tools/changes.tsx'
import { type ChangedFile, changedFiles } from './changed-files.ts'
import { FileDiff } from './file-diff.tsx'
import { filesOf, fileTree, type TreeNode } from './file-tree.ts'
import { turnOf } from './turn-of.ts'
import { addressOfFile } from './use-view.ts'

/** The changes of the session, as wide as the page: the files as a tree, and one diff for each. */
export function ChangesView(): ReactNode {
  const [agentId, setAgentId] = useState<string>()
  const [promptId, setPromptId] = useState<string>()
  const files = useCalm(
    useCallback((state) => changedFiles(state, { agentId, promptId }), [agentId, promptId]),
  )
  const agents = useCalm(agentsWithChanges)
  const turns = useCalm(turnsWithChanges)
  const [isSplit, setIsSplit] = useChoice('diff side by side')
  const [ignoresSpace, setIgnoresSpace] = useChoice('diff without whitespace')
  const viewId = useId()
  const tree = fileTree(files)
  useFileOfAddress(files, viewId)
  return (
    <section className="changes-view" aria-label="Changes">
      <div className="changes-bar">
        <p className="changes-sum" role="status">
          {files.length === 0 ? 'No changed files' : sumText(files)}
        </p>
        {agents.length > 1 && (
          <select
            aria-label="Agent whose changes are shown"
            value={agentId ?? ''}
            onChange={({ target }) => setAgentId(target.value || undefined)}
          >
            <option value="">All agents</option>
            {agents.map((id) => (
              <AgentOption key={id} id={id} />
            ))}
          </select>
        )}
        {turns.length > 1 && (
          <select
            aria-label="Turn whose changes are shown"
            value={promptId ?? ''}
            onChange={({ target }) => setPromptId(target.value || undefined)}
          >
            <option value="">All turns</option>
            {turns.map(({ id, text }) => (
              <option key={id} value={id}>
                {text}
              </option>
            ))}
          </select>
        )}
        <label>
          <input type="checkbox" checked={isSplit} onChange={({ target }) => setIsSplit(target.checked)} />{' '}
          Side by side
        </label>
        <label>
          <input
            type="checkbox"
            checked={ignoresSpace}
            onChange={({ target }) => setIgnoresSpace(target.checked)}
          />{' '}
          Hide whitespace
        </label>
      </div>
      <Roving className="file-tree" label="Changed files">
        <Tree nodes={tree} viewId={viewId} />
      </Roving>
      <div className="file-diffs">
        {filesOf(tree).map((file, at) => (
          <FileDiff
            key={file.path}
            id={fileId(viewId, file.path)}
            file={file}
            isOpenByDefault={at < FEW_FILES}
            isSplit={isSplit}
            ignoresSpace={ignoresSpace}
          />
        ))}
      </div>
    </section>
  )
}

/** Goes to the file that the address names. */
function useFileOfAddress(files: readonly ChangedFile[], viewId: string): void {
  const paths = files.map(({ path }) => path).join('\n')
  useEffect(() => {
    const go = (): void => {
      const path = paths.split('\n').find((each) => addressOfFile(each) === location.hash)
      if (path !== undefined) goToFile(fileId(viewId, path))
    }
    go()
    window.addEventListener('hashchange', go)
    return () => window.removeEventListener('hashchange', go)
  }, [paths, viewId])
}

/** So many files are open at first. */
const FEW_FILES = 40

function sumText(files: readonly ChangedFile[]): string {
  const calls = files.reduce((sum, { changes }) => sum + changes.length, 0)
  const times = files.flatMap(({ changes }) => changes.flatMap(({ time }) => time ?? []))
  const span = times.reduce((a, b) => Math.max(a, b), 0) - times.reduce((a, b) => Math.min(a, b), Infinity)
  const [sum, sumOfCalls] = [linesText(files), linesText(files.flatMap(({ changes }) => changes))]
  // Lines that came and went again are in the sum of the session, and in no diff.
  const lines = sum === sumOfCalls ? '' : ` of ${sumOfCalls}`
  return [
    `${filesText(files)}, ${plural(calls, 'change')}${lines}`,
    ...(span > 0 ? [`in ${formatDuration(span)}`] : []),
  ].join(' ')
}

/** A choice of the reader for all sessions. */
function useChoice(name: string): readonly [boolean, (isOn: boolean) => void] {
  const [isOn, setIsOn] = useState(() => keptChoice('localStorage', name) === 'on')
  const choose = (next: boolean): void => {
    keepChoice('localStorage', name, next ? 'on' : 'off')
    setIsOn(next)
  }
  return [isOn, choose]
}

function agentsWithChanges(state: SessionConversationState): readonly string[] {
  const ids = changedFiles(state).flatMap(({ changes }) =>
    changes.map(({ conversationId }) => conversationId),
  )
  return [...new Set(ids)]
}

/** Returns the prompts whose turns have changed a file. */
function turnsWithChanges(state: SessionConversationState): ReturnType<typeof promptsIn> {
  const turns = new Set(fileChanges(state).map((change) => turnOf(state, change)))
  return promptsIn(state).filter(({ id }) => turns.has(id))
}

function AgentOption({ id }: { readonly id: string }): ReactNode {
  return <option value={id}>{useAgentTitle(id)}</option>
}

interface TreeProps {
  readonly nodes: readonly TreeNode<ChangedFile>[]
  readonly viewId: string
}

function Tree({ nodes, viewId }: TreeProps): ReactNode {
  return (
    <ul>
      {nodes.map((node) =>
        node.type === 'folder' ? (
          <li key={`${node.name}/`}>
            <span className="folder">{node.name}/</span>
            <Tree nodes={node.children} viewId={viewId} />
          </li>
        ) : (
          <li key={node.name}>
            <button
              type="button"
              className={node.file.kind}
              onClick={() => goToFile(fileId(viewId, node.file.path))}
            >
              <span className="file-name">{node.name}</span>
              <span className="file-counts">{linesText([node.file])}</span>
            </button>
          </li>
        ),
      )}
    </ul>
  )
}

function fileId(viewId: string, path: string): string {
  return `${viewId} ${path}`
}

function goToFile(id: string): void {
  const file = document.getElementById(id)
  file?.scrollIntoView({ block: 'start' })
  file?.querySelector('summary')?.focus({ preventScroll: true })
}
