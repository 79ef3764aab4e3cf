import { CLAUDE_CODE } from '../../programs/claude-code/program.ts'
import { agentIssue } from '../../session/context.ts'
import { sortedByOrder } from '../../session/order.ts'
import { withdrawRequests } from '../../session/requests.ts'
import type { Ending, SourceEnd } from '../../session/source.ts'
import { MAIN } from '../../state/session.ts'
import { registerParentsFromMeta } from './agents/agent-meta.ts'
import { completeStoppedAgents } from './agents/stop-hook.ts'
import { ClaudeContext } from './context.ts'
import type { ClaudeMemory } from './memory.ts'
import { releaseInlineLines } from './routing/inline-agents.ts'
import { releaseAllUnlinked } from './routing/unlinked-agents.ts'
import { translateReleased } from './translate-line.ts'

/** Ends the input: translates all lines that still wait, and reports unfinished agents. */
export function end(memory: ClaudeMemory): SourceEnd {
  const context = new ClaudeContext(memory)
  translateReleased(releaseInlineLines(undefined, context), context)
  translateReleased(releaseAllUnlinked(context), context)
  registerParentsFromMeta(context)
  completeStoppedAgents(context)
  context.nameSession({ program: CLAUDE_CODE })
  const unfinished = sortedByOrder(context.memory.agents, ({ hasEnded }) => hasEnded !== true)
  withdrawRequests(context.memory.requests, context)
  // A teammate waits for more work, so the session may finish without it.
  const ending = endTurn(
    unfinished.some(({ isTeammate }) => isTeammate !== true),
    context,
  )
  const reported = ending === 'finished' ? [] : unfinished
  const issues = reported.map(({ toolUseId }) => agentIssue('unfinished-subagent', toolUseId))
  const last = context.finish()
  return { events: last.events, issues: [...last.issues, ...issues], ending }
}

/** Ends main's turn with the input. In a stream, nothing but the result shows that the session is over. */
function endTurn(hasUnfinishedAgents: boolean, context: ClaudeContext): Ending {
  const { answer, isStream } = context.memory
  const ending = context.endInput(hasUnfinishedAgents)
  if (ending === 'interrupted' || !isStream) return ending
  if (answer) return 'open'
  // Hooks run before and after turns too.
  context.finalizePending(MAIN)
  return ending
}
