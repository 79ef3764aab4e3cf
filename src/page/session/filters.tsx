import type { SessionConversationState } from 'agentfold'
import { useSession } from 'agentfold/react'
import { type ReactNode, useSyncExternalStore } from 'react'
import type { HiddenKind } from '../rows/filter.ts'
import { useNavigator } from '../rows/navigator.tsx'
import { agentTitle } from './agent-title.ts'
import { Roving } from './roving.tsx'

/** The kinds of blocks that a reader can hide, with their names. */
export const KINDS: readonly (readonly [HiddenKind, string])[] = [
  ['tools', 'Tools'],
  ['thinking', 'Thinking'],
  ['notes', 'Notes'],
]

/** The kinds of blocks that are shown, and the agent that is shown alone. */
export function Filters(): ReactNode {
  const { filter } = useNavigator()
  useSyncExternalStore(filter.subscribe, () => filter.version)
  const agents = useSession(namesIn, areSame)
  return (
    <div className="filters">
      <Roving role="toolbar" label="Shown parts">
        Show
        {KINDS.map(([kind, name]) => (
          <button
            key={kind}
            type="button"
            aria-pressed={!filter.isHidden(kind)}
            onClick={() => filter.toggle(kind)}
          >
            {name}
          </button>
        ))}
      </Roving>
      {agents.length > 0 && (
        <select
          aria-label="Shown agent"
          value={filter.agentId ?? ''}
          onChange={({ target }) => filter.showAgent(target.value || undefined)}
        >
          <option value="">All agents</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
    </div>
  )
}

interface NamedAgent {
  readonly id: string
  readonly name: string
}

function namesIn({ subagents }: SessionConversationState): readonly NamedAgent[] {
  return subagents.map((agent) => ({ id: agent.toolUseId, name: agentTitle(agent) }))
}

function areSame(left: readonly NamedAgent[], right: readonly NamedAgent[]): boolean {
  return (
    left.length === right.length &&
    left.every(({ id, name }, at) => id === right[at]?.id && name === right[at].name)
  )
}
