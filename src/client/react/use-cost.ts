import { useMemo } from 'react'
import { isEqual } from '../../core/json/equal.ts'
import { costOf, modelOfMain, type Price, type SessionCost } from '../../core/selectors/cost.ts'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import { useSession } from './hooks.ts'

/**
 * Returns the cost of the session, like `costOf`. A delta changes no tokens, so it adds nothing up. Pass the same
 * `priceOf` each time, for example a function outside the component.
 */
export function useCost(priceOf: (model: string) => Price | undefined): SessionCost {
  const select = useMemo(() => costSelector(priceOf), [priceOf])
  return useSession(select, isEqual)
}

/** Returns a function that adds up the cost only if the tokens of a conversation have changed. */
export function costSelector(
  priceOf: (model: string) => Price | undefined,
): (state: SessionConversationState) => SessionCost {
  let last: { readonly state: SessionConversationState; readonly cost: SessionCost } | undefined
  return (state) => {
    const cost = last && hasSameTokens(last.state, state) ? last.cost : costOf(state, priceOf)
    last = { state, cost }
    return cost
  }
}

function hasSameTokens(before: SessionConversationState, after: SessionConversationState): boolean {
  if (before.usage !== after.usage || modelOfMain(before) !== modelOfMain(after)) return false
  if (before.subagents === after.subagents) return true
  if (before.subagents.length !== after.subagents.length) return false
  // `every` on a frozen list costs a multiple of this loop.
  for (let at = 0; at < after.subagents.length; at += 1)
    if (!isSameBill(after.subagents[at], before.subagents[at])) return false
  return true
}

function isSameBill(agent: SubagentState | undefined, before: SubagentState | undefined): boolean {
  if (agent === before) return true
  return (
    agent?.usage === before?.usage &&
    agent?.toolUseId === before?.toolUseId &&
    agent?.agentId === before?.agentId &&
    agent?.parentConversationId === before?.parentConversationId
  )
}
