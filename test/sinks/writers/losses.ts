import { isEqual } from '../../../src/core/json/equal.ts'
import type { BlockOf, ConversationBlock } from '../../../src/core/state/block.ts'
import type { ConversationThread, SessionConversationState } from '../../../src/core/state/session.ts'
import { readPlanCall } from '../../../src/programs/shared-tools.ts'
import type { Loss, LossKind } from '../../../src/sinks/plan/losses.ts'
import { targetOf } from '../../../src/sinks/writers/targets/all.ts'

/** The conversations that a written session has: main, and the agents that its calls lead to. */
function threadsOf(state: SessionConversationState, program: string): readonly ConversationThread[] {
  const { keepsAgents } = targetOf(program)
  const threads: ConversationThread[] = [state]
  const left = new Map(state.subagents.map((agent) => [agent.toolUseId, agent]))
  for (const thread of threads) {
    if (keepsAgents === 'none' || (keepsAgents === 'of main' && thread !== state)) break
    for (const block of thread.blocks) {
      const agent = block.type === 'subagent' ? left.get(block.toolUseId) : undefined
      if (agent) threads.push(agent)
      if (agent) left.delete(agent.toolUseId)
    }
  }
  return threads
}

/**
 * Returns what a written session lacks, found by comparing it with the state that it was written from. Kinds that the comparison of contents shows
 * are not counted.
 */
export function missingIn(
  back: SessionConversationState,
  state: SessionConversationState,
  program: string,
): Readonly<Partial<Record<LossKind, number>>> {
  const count = (
    { in: counted = state }: { readonly in?: SessionConversationState },
    isCounted: (block: ConversationBlock, thread: ConversationThread) => boolean,
  ) =>
    threadsOf(counted, program).flatMap((thread) => thread.blocks.filter((block) => isCounted(block, thread)))
      .length
  const isThinking = ({ type }: ConversationBlock) => type === 'thinking'
  const hasSummary = ({ blocks }: ConversationThread) =>
    blocks.some((block) => block.type === 'user_message' && block.origin === 'summary')
  return {
    thinking: count({}, isThinking) - count({ in: back }, isThinking),
    request: count({}, ({ type }) => type === 'request'),
    'turn-failure': count({}, ({ type }) => type === 'error'),
    'program-note': count(
      {},
      (block) =>
        block.type === 'skill_load' ||
        (block.type === 'user_message' && block.origin !== undefined && block.origin !== 'summary'),
    ),
    'system-note': count(
      {},
      (block, thread) => block.type === 'system' && !(block.subtype === 'compaction' && hasSummary(thread)),
    ),
    'abandoned-branch': (state.branches ?? []).flatMap(({ blocks }) => blocks).length,
    usage: threadsOf(state, program).flatMap(({ usage }) => usage).length,
  }
}

/** Returns the counts of the losses by their kinds. */
export function countsOf(losses: readonly Loss[]): Readonly<Partial<Record<LossKind, number>>> {
  return Object.fromEntries(losses.map(({ kind, count }) => [kind, count]))
}

/** Returns the number of results whose mark of an error, or whose diffs, are not in the session that was read back. */
export function lostFacts(
  back: SessionConversationState,
  state: SessionConversationState,
  program: string,
): { readonly marks: number; readonly changes: number } {
  const programs = [state.session.program, program] as const
  const [before, after] = [outcomes(state, programs), outcomes(back, programs)]
  // A command with an exit code is an error in some programs, and none in others.
  const marks = before.filter((one, at) => one?.isError && !after[at]?.isError).length
  const changes = before.filter((one, at) => one?.changes && !isEqual(one.changes, after[at]?.changes)).length
  return { marks, changes }
}

/** Returns the results in the order of their calls, without those of plans, which not every program shows. */
function outcomes(
  state: SessionConversationState,
  programs: readonly [source: string | undefined, target: string],
): readonly (BlockOf<'tool_result'> | undefined)[] {
  return threadsOf(state, programs[1]).flatMap(({ blocks }) => {
    const results = new Map(
      blocks.flatMap((block) => (block.type === 'tool_result' ? [[block.toolUseId, block] as const] : [])),
    )
    const calls = blocks.filter((block) => block.type === 'tool_use')
    const shown = calls.filter((call) => !programs.some((program) => readPlanCall(program, call)))
    return shown.map(({ toolUseId }) => results.get(toolUseId))
  })
}
