import { findSubagent, type SubagentState } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { useMemo } from 'react'
import { oneLine } from '../blocks/one-line.ts'

type Named = Partial<Pick<SubagentState, 'description' | 'name' | 'prompt'>>

/** Returns the title of a subagent: its description, its name, or the start of its prompt. An id says nothing to people. */
export function agentTitle({ description, name, prompt }: Named): string {
  return description ?? name ?? (oneLine(prompt ?? '') || 'Subagent')
}

/** Selects the titles of the agents that a call names by their ids. Empty if the call names none. */
export function useAgentNames(input: unknown): string {
  const { agentIds } = Object(input)
  const ids = Array.isArray(agentIds) ? agentIds.filter((id) => typeof id === 'string').join(' ') : ''
  const select = useMemo<Selector<string>>(
    () => (state) =>
      ids
        .split(' ')
        .flatMap((id) => findSubagent(state, id) ?? [])
        .map(agentTitle)
        .join(', '),
    [ids],
  )
  return useSession(select)
}

/** Selects the title alone, because the subagent changes with each delta. */
export function useAgentTitle(id: string): string {
  const select = useMemo<Selector<string>>(
    () => (state) => (id === 'main' ? 'Main' : agentTitle(findSubagent(state, id) ?? {})),
    [id],
  )
  return useSession(select)
}
