import { MAIN } from '../../core/state/session.ts'
import type { SessionOutput } from '../../reading/context.ts'
import type { TurnEnd } from '../../reading/turn.ts'
import { endAbandonedTurn } from '../kit/abandon.ts'
import { noteBlock } from '../kit/blocks.ts'
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
export function outcomeOf(reason: string): NonNullable<TurnEnd['outcome']> {
  return OUTCOMES.get(reason) ?? 'finished'
}

/** Ends main's turn because the person has stopped it. */
export function endStopped(timestamp: string | undefined, output: SessionOutput): void {
  const id = `${output.state.blocksOf(MAIN).at(-1)?.id ?? MAIN}:interruption`
  show(MAIN, noteBlock({ id, subtype: 'interruption', message: 'Interrupted', timestamp }), output)
  output.turn.end({ outcome: 'interrupted', timestamp })
}

/** Begins main's turn with a prompt, which ends everything that an earlier turn has left. */
export function beginTurn(timestamp: string | undefined, context: ClineContext): void {
  endAbandonedTurn(timestamp, context)
  context.turn.begin(timestamp)
}

/** Ends main's turn as the facts beside a session state it. They are written after the messages. */
export function endByIndex(status: string, timestamp: string | undefined, context: ClineContext): void {
  if (context.state.turn.status !== 'running' || status === 'running') return
  const last = context.state.blocksOf(MAIN).at(-1)
  if (outcomeOf(status) === 'interrupted') endStopped(timestamp, context)
  else if (last?.type === 'assistant_text')
    context.turn.end(context.notes.values.answer ?? { outcome: 'finished', timestamp: last.timestamp })
}
