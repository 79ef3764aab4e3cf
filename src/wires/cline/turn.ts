import type { TurnEnd } from '../../session/turn.ts'
import { MAIN } from '../../state/session.ts'
import { isFinal } from '../../state/subagent.ts'
import { endAgent } from './agents.ts'
import type { ClineContext } from './notes.ts'
import { show } from './reply.ts'

const OUTCOMES: ReadonlyMap<string, NonNullable<TurnEnd['outcome']>> = /* @__PURE__ */ new Map([
  ['error', 'failed'],
  ['failed', 'failed'],
  ['aborted', 'interrupted'],
  ['cancelled', 'interrupted'],
  ['interrupted', 'interrupted'],
])

/** Returns how a turn or an agent has ended, in the program's words. */
export function outcomeOf(reason: string): { readonly outcome: NonNullable<TurnEnd['outcome']> } {
  return { outcome: OUTCOMES.get(reason) ?? 'finished' }
}

/** Ends main's turn with an error. */
export function endFailed(
  error: string | undefined,
  timestamp: string | undefined,
  context: ClineContext,
): void {
  context.endTurn({ outcome: 'failed', error, timestamp })
}

/** Ends main's turn because the person has stopped it. */
export function endStopped(timestamp: string | undefined, context: ClineContext): void {
  const id = `${context.blocksOf(MAIN).at(-1)?.id ?? MAIN}:interruption`
  show(
    MAIN,
    { type: 'system', id, status: 'complete', subtype: 'interruption', message: 'Interrupted', timestamp },
    context,
  )
  context.endTurn({ outcome: 'interrupted', timestamp })
}

/** Begins main's turn with a prompt. What an earlier turn left running is over. */
export function beginTurn(timestamp: string | undefined, context: ClineContext): void {
  const running = context
    .openAgents()
    .flatMap(({ toolUseId, status }) => (isFinal(status) ? [] : [toolUseId]))
  for (const toolUseId of running) endAgent(toolUseId, { isError: true }, context)
  if (context.turn.status === 'running' && !context.notes.answer)
    context.endTurn({ outcome: 'interrupted', timestamp })
  context.beginTurn(timestamp)
}

/** Ends main's turn as the facts beside a session state it. They are written after the messages. */
export function endByIndex(status: string, timestamp: string | undefined, context: ClineContext): void {
  if (context.turn.status !== 'running' || status === 'running') return
  const last = context.blocksOf(MAIN).at(-1)
  if (outcomeOf(status).outcome === 'interrupted') endStopped(timestamp, context)
  else if (last?.type === 'assistant_text')
    context.endTurn(context.notes.answer ?? { outcome: 'finished', timestamp: last.timestamp })
}
