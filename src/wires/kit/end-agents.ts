import type { TranslationContext } from '../../reading/context.ts'
import type { CommonNotes } from '../../reading/notes/notes.ts'

type Context = TranslationContext<CommonNotes>

/** The end of an agent's run. */
interface AgentEnd {
  readonly isError: boolean
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
  readonly timestamp?: string | undefined
}

/** Ends the run of an agent. A later report may add to an end that is known, and one that adds nothing comes again. */
export function endAgent(toolUseId: string, { isError, ...end }: AgentEnd, context: Context): void {
  const known = context.findAgent(toolUseId)
  const isSame = (known?.status === 'error') === isError
  const addsNothing =
    (end.output ?? known?.output) === known?.output &&
    (known?.durationMs ?? end.durationMs) === known?.durationMs
  if (isSame && addsNothing && context.hasEnded(toolUseId)) return
  context.emit({ type: 'subagent:completed', toolUseId, status: isError ? 'error' : 'completed', ...end })
}

/** Ends the agents that a process has left when it was killed. */
export function endAbandonedAgents(context: Context): void {
  for (const toolUseId of context.runningAgents())
    context.emit({ type: 'subagent:completed', toolUseId, status: 'error' })
}

/** Ends the turn and the agents that a process has left when it was killed. */
export function endAbandonedTurn(timestamp: string | undefined, context: Context): void {
  endAbandonedAgents(context)
  if (context.turn.status === 'running' && !context.notes.answer)
    context.endTurn({ outcome: 'interrupted', timestamp })
}
