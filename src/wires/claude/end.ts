import { MAIN } from '../../core/state/session.ts'
import { CLAUDE_CODE } from '../../programs/claude-code/program.ts'
import type { InputEnd } from '../../reading/context.ts'
import { registerParentsFromMeta } from './agents/agent-meta.ts'
import { completeStoppedAgents } from './agents/stop-hook.ts'
import type { ClaudeContext } from './context.ts'
import { releaseEarlyLines } from './routing/early-lines.ts'
import { releaseInlineLines } from './routing/inline-agents.ts'
import { releaseAllUnlinked } from './routing/unlinked-agents.ts'
import { translateReleased } from './translate-line.ts'

/** Ends the input: translates all lines that still wait, and reports unfinished agents. */
export function end(context: ClaudeContext): InputEnd {
  translateReleased(releaseEarlyLines(context), context)
  translateReleased(releaseInlineLines(undefined, context), context)
  translateReleased(releaseAllUnlinked(context), context)
  registerParentsFromMeta(context)
  completeStoppedAgents(context)
  context.nameSession({ program: CLAUDE_CODE })
  const { answer, isStream } = context.notes
  const { ending, issues } = context.endInput({ mayWait: isStream !== true })
  if (ending === 'interrupted' || !isStream) return { ending, issues }
  // In a stream, nothing but the result shows that the session is over.
  if (answer) return { ending: 'open', issues }
  // Hooks run before and after turns too.
  context.finalizePending(MAIN)
  return { ending, issues }
}
