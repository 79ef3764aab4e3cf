import { messageIdOf } from '../../core/state/block.ts'
import { MAIN, type SessionConversationState } from '../../core/state/session.ts'
import { isFinal } from '../../core/state/subagent.ts'
import type { ClineContext } from './notes.ts'

/** Makes the notes that are needed to go on from a state. They have the replies that go on, the time up to which each conversation is known, and the time of the last block. */
export function open({ blocks, subagents }: SessionConversationState, context: ClineContext): void {
  const threads = [
    { id: MAIN, blocks },
    ...subagents.map(({ toolUseId: id, ...thread }) => ({ id, ...thread })),
  ]
  for (const thread of threads) {
    const last = thread.blocks.findLast((block) => messageIdOf(block) !== undefined)
    const reply = last && messageIdOf(last)
    if (reply !== undefined && thread.blocks.at(-1) === last) context.setEntry('replies', thread.id, reply)
  }
  for (const { id, blocks: own } of threads) {
    const last = own.findLast(({ timestamp }) => timestamp !== undefined)?.timestamp
    if (last !== undefined && (id === MAIN || context.hasEnded(id))) context.setEntry('covered', id, last)
  }
  // The words of an agent's end follow the hook, and name no agent.
  const ended = subagents.find(({ status, output }) => isFinal(status) && output === undefined)
  if (ended) context.remember({ lastActor: ended.toolUseId })
  const times = threads.flatMap((thread) => thread.blocks.flatMap(({ timestamp }) => timestamp ?? []))
  const time = times.sort().at(-1)
  if (time !== undefined) context.remember({ stream: { time, seen: [] } })
}
