import { fileChanges, type SessionConversationState } from 'agentfold'
import { useSession, useTodos } from 'agentfold/react'
import { type ReactNode, useState } from 'react'
import { formatCount } from '../../sinks/markdown/text/values.ts'
import { ChangedFiles } from '../tools/changed-files.tsx'
import { AgentList } from './agent-list.tsx'
import { Prompts, usePrompts } from './prompts.tsx'
import { Roving } from './roving.tsx'
import { Todos } from './todo-list.tsx'

interface Tab {
  readonly name: string
  /** How much is in it. */
  readonly count: string
  readonly Panel: () => ReactNode
}

/** The agents, the prompts, the changed files and the plan, each in a tab. A tab without content is not there. */
export function SidePanel(): ReactNode {
  const tabs = useTabs()
  const [chosen, setChosen] = useState<string>()
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0]
  if (!shown) return null
  const { name: shownName, Panel } = shown
  return (
    <div className="side-panel">
      <Roving role="tablist" className="tabs" label="Contents">
        {tabs.map(({ name, count }) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={name === shownName}
            aria-controls="tab-panel"
            onClick={() => setChosen(name)}
            onFocus={() => setChosen(name)}
          >
            {name} <span className="count">{count}</span>
          </button>
        ))}
      </Roving>
      <div role="tabpanel" id="tab-panel" className="tab-panel" aria-labelledby={`tab-${shownName}`}>
        <Panel />
      </div>
    </div>
  )
}

function useTabs(): readonly Tab[] {
  const agents = useSession(agentCount)
  const prompts = usePrompts().length
  const files = useSession(fileCount)
  const todos = useTodos('main').filter(({ status }) => status !== 'cancelled')
  const done = todos.filter(({ status }) => status === 'completed').length
  const tabs = [
    { name: 'Agents', count: formatCount(agents), Panel: AgentList, isShown: agents > 0 },
    { name: 'Prompts', count: formatCount(prompts), Panel: Prompts, isShown: prompts > 0 },
    { name: 'Files', count: formatCount(files), Panel: Files, isShown: files > 0 },
    { name: 'Todos', count: `${done}/${todos.length}`, Panel: MainTodos, isShown: todos.length > 0 },
  ]
  return tabs.filter(({ isShown }) => isShown)
}

function agentCount({ subagents }: SessionConversationState): number {
  return subagents.length
}

function fileCount(state: SessionConversationState): number {
  return new Set(fileChanges(state).map(({ path }) => path)).size
}

function Files(): ReactNode {
  return (
    <Roving label="Files">
      <ChangedFiles />
    </Roving>
  )
}

function MainTodos(): ReactNode {
  return (
    <div className="todos" data-todos="main">
      <Todos todos={useTodos('main')} />
    </div>
  )
}
