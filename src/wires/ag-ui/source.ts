import { numberOfId } from '../../core/state/numbered-id.ts'
import type { SessionConversationState, SubagentState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import { AG_UI } from '../../programs/generic/program.ts'
import { defineSource } from '../../reading/define-source.ts'
import type { Source } from '../../reading/source.ts'
import { AgUiContext, NOTES } from './context.ts'
import { toAgUiState } from './shared-state.ts'
import { translateEvent } from './translate.ts'

/**
 * Makes the notes that are needed to go on from a state. The state holds no ids of runs, so a run that comes again
 * counts as a further one.
 */
function open(state: SessionConversationState, context: AgUiContext): void {
  const { status } = state.turn
  if (status === 'running') context.notes.remember({ run: { id: '' } })
  else if (status !== 'idle') context.notes.setEntry('endedRuns', '', true)
  context.notes.remember({ shared: toAgUiState(state), unnamed: unnamedOf(state) })
  for (const agent of state.subagents) if (!isFinal(agent.status)) openAgent(agent, context.notes)
}

function openAgent({ toolUseId, agentId, blocks }: SubagentState, notes: AgUiContext['notes']): void {
  if (agentId !== undefined || blocks.length > 0) notes.setEntry('starts', toolUseId, '')
  // An agent ends with its run, unless it is suspended.
  if (!notes.values.run) notes.setEntry('suspended', toolUseId, true)
}

/** Returns the number of reasoning messages without an id. */
function unnamedOf({ blocks, subagents }: SessionConversationState): number | undefined {
  let unnamed: number | undefined
  for (const thread of [{ blocks }, ...subagents])
    for (const { id, type } of thread.blocks) {
      const number = type === 'thinking' ? numberOfId(id) : undefined
      if (number !== undefined) unnamed = Math.max(unnamed ?? 0, number + 1)
    }
  return unnamed
}

// An event takes one of these ways:
// - `messages/` translates texts, calls, activities and snapshots
// - `runs/` translates runs, their requests and tokens
// - `agents/` translates subagents
// - `shared/` reads the shared state

/** Reads the events of AG-UI 1.0 and of the versions before, from any server. */
export const agUiSource: Source = /* @__PURE__ */ defineSource({
  notes: NOTES,
  begin: (session) => new AgUiContext(session),
  translate,
  end: (context) => context.endInput(),
  open,
})

function translate(message: unknown, context: AgUiContext): void {
  translateEvent(context.read(message), context)
  context.nameSession({ protocol: AG_UI })
}
