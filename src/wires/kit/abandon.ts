import { withChanges } from '../../core/json/fields.ts'
import { REWIND, REWOUND } from '../../core/state/block.ts'
import { MAIN } from '../../core/state/session.ts'
import type { SessionOutput, TranslationContext } from '../../reading/context.ts'
import type { CommonNotes } from '../../reading/notes/notes.ts'
import { noteBlock } from './blocks.ts'

interface Rewind {
  /** The id of the mark and of the branch. */
  readonly id: string
  readonly blockIds: readonly string[]
  /** The program's own facts about the place. */
  readonly data: unknown
  readonly timestamp?: string | undefined
}

/**
 * Moves blocks of main to a branch, and marks the place as a rewind of the person. The mark comes first, so that a
 * branch never names a block that is not there.
 */
export function abandonBlocks({ id, blockIds, data, timestamp }: Rewind, output: SessionOutput): void {
  output.upsert(MAIN, noteBlock({ id, subtype: REWIND, message: REWOUND, data, timestamp }))
  output.emit({ type: 'branch:abandoned', branchId: id, blockIds })
}

/**
 * Moves the blocks of main from a place on to a branch. `data` has the program's own facts about the place. Without
 * it, the mark names the last block of the branch and the block before its first one.
 */
export function abandonFrom(
  start: number,
  { id, data, timestamp }: Omit<Rewind, 'blockIds' | 'data'> & { readonly data?: object },
  output: SessionOutput,
): void {
  const ids = output.state.blocksOf(MAIN).map((block) => block.id)
  const blockIds = ids.slice(start)
  const place = data ?? { from: blockIds.at(-1) ?? null, to: ids[start - 1] ?? null }
  const shown = withChanges<{ readonly blockIds?: readonly string[] }>(place, { blockIds })
  abandonBlocks({ id, blockIds, data: shown, timestamp }, output)
}

type Context = TranslationContext<CommonNotes>

/** The end of an agent's run. */
interface AgentEnd {
  readonly isError: boolean
  readonly output?: string | undefined
  readonly durationMs?: number | undefined
  readonly timestamp?: string | undefined
}

/** Ends the run of an agent. A later report may add to an end that is known, and one that adds nothing comes again. */
export function endAgent(toolUseId: string, { isError, ...end }: AgentEnd, output: SessionOutput): void {
  const status = isError ? 'error' : 'completed'
  const known = output.state.hasEnded(toolUseId) ? output.state.findAgent(toolUseId) : undefined
  const isKnown =
    known &&
    (known.status === 'error') === isError &&
    (end.output ?? known.output) === known.output &&
    (known.durationMs ?? end.durationMs) === known.durationMs
  if (!isKnown) output.emit({ type: 'subagent:completed', toolUseId, status, ...end })
}

/** Ends the agents that a process has left when it was killed. */
export function endAbandonedAgents(output: SessionOutput): void {
  for (const toolUseId of output.state.runningAgents())
    output.emit({ type: 'subagent:completed', toolUseId, status: 'error' })
}

/** Ends the turn and the agents that a process has left when it was killed. */
export function endAbandonedTurn(timestamp: string | undefined, context: Context): void {
  endAbandonedAgents(context)
  if (context.state.turn.status === 'running' && !context.notes.values.answer)
    context.turn.end({ outcome: 'interrupted', timestamp })
}
