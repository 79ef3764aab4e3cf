import type { BlockOf, SessionConversationState, SessionEvent } from '../../../src/entries/index.ts'
import * as present from '../../../src/entries/index.ts'
import type { IncomingBlock } from '../../../src/entries/source-kit.ts'
import { type Candidate, folding } from './peer.ts'
import { calledTool, contentOf, type Item, TOOL, type Workload } from './workload.ts'

/** Returns what folds these events, starting from that state; what it can do beforehand is not measured. */
export type Prepare = (
  before: SessionConversationState,
  events: readonly SessionEvent[],
) => () => SessionConversationState | Promise<SessionConversationState>

/** A candidate that folds agentfold's own events. The version that folds them makes the state before, too. */
export function foldingEvents(
  workload: Workload,
  prepare: Prepare,
  { createInitialConversationState, reduceSessionEvents }: typeof present = present,
): Candidate {
  const before = reduceSessionEvents(createInitialConversationState(), workload.earlier.flatMap(eventsOf))
  const events = workload.streamed.flatMap(eventsOf)
  // The upsert that ends a text brings it whole: only without those does a lost delta show.
  const deltas = events.filter((event) => !endsText(event))
  const open = folding(workload, prepare(before, deltas), saidInBlocks)
  const whole = folding(workload, prepare(before, events), saidInBlocks)
  return {
    run: whole.run,
    verify: async () => {
      await open.verify()
      await whole.verify()
    },
  }
}

function endsText(event: SessionEvent): boolean {
  if (event.type !== 'block:upsert') return false
  return event.block.type === 'assistant_text' && event.block.status === 'complete'
}

/** An item as the events that a source makes of it. */
export function eventsOf(item: Item): readonly SessionEvent[] {
  const { id } = item
  if (item.type === 'text')
    return [
      upsert({ id, type: 'assistant_text', status: 'pending', content: '' }),
      ...item.deltas.map((delta): SessionEvent => ({ type: 'block:delta', blockId: id, delta })),
      upsert({ id, type: 'assistant_text', status: 'complete', content: contentOf(item) }),
    ]
  const call = { id, type: 'tool_use' as const, toolName: TOOL, toolUseId: id, input: { path: item.path } }
  const result = { id: `${id}:result`, type: 'tool_result' as const, toolUseId: id, isError: false }
  return [
    upsert({ ...call, status: 'pending' }),
    upsert({ ...result, status: 'complete', output: contentOf(item) }),
    upsert({ ...call, status: 'complete' }),
  ]
}

function upsert(block: IncomingBlock): SessionEvent {
  return { type: 'block:upsert', block }
}

/** What the state holds of the workload. */
function saidInBlocks(state: SessionConversationState): readonly string[] {
  const calls = new Map(
    present.toolCalls(state).map(({ call, result }) => [call.id, saidInCall(call, result)]),
  )
  return state.blocks.flatMap((block) => {
    if (block.type === 'assistant_text') return [block.content]
    const call = calls.get(block.id)
    return call === undefined ? [] : [call]
  })
}

function saidInCall(call: BlockOf<'tool_use'>, result: BlockOf<'tool_result'> | undefined): string {
  return calledTool(call.toolName, call.input, result?.output)
}
