import type { SessionConversationState, SubagentState } from 'agentfold'
import { type Selector, useSession } from 'agentfold/react'
import { useMemo } from 'react'

const TONES = 6

/** Returns the colour of an agent, from 0 to 5; none for main. It is the same in the conversation, the list and the timeline. */
export function useTone(agentId: string): number | undefined {
  const select = useMemo<Selector<number | undefined>>(() => (state) => toneOf(state, agentId), [agentId])
  return useSession(select)
}

/** Agents that start after each other have different colours. */
function toneOf({ subagents }: SessionConversationState, agentId: string): number | undefined {
  const tones = known.get(subagents) ?? new Map(subagents.map(({ toolUseId }, at) => [toolUseId, at % TONES]))
  known.set(subagents, tones)
  return tones.get(agentId)
}

const known = new WeakMap<readonly SubagentState[], ReadonlyMap<string, number>>()
