import { assertNever } from '../../json/assert-never.ts'
import type { Ending, SourceEnd } from '../source.ts'
import { sortedByOrder } from '../translation/order.ts'
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
  const last = context.finish()
  const unfinished = sortedByOrder(
    last.memory.agents,
    (agent) => agent.hasEnded !== true && !agent.isTeammate,
  )
  const issues = unfinished.map(({ toolUseId }) => ({
    code: 'unfinished-subagent' as const,
    count: 1,
    toolUseId,
  }))
  const ending = unfinished.length > 0 ? 'interrupted' : endingOf(last.memory)
  return { events: last.events, issues: [...last.issues, ...issues], ending }
}

function endingOf({ turn, isStream }: ClaudeMemory): Ending {
  switch (turn) {
    case 'none':
      return 'open'
    case 'running':
    case 'interrupted':
      return 'interrupted'
    case 'answered':
      // A stream reports the turn's result. A file does not.
      return isStream ? 'open' : 'finished'
    case 'ended':
      return 'finished'
    default:
      return assertNever(turn)
  }
}
