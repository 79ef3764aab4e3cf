import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  type ConversationBlock,
  findConversation,
  type SessionConversationState,
  type SessionEvent,
} from '../../src/entries/index.ts'
import { isThorough } from '../depth.ts'
import { inputs } from './inputs.ts'
import { threadsOf } from './recordings.ts'

// 2.1.197 reports a failed agent as completed and then as failed. The last report of a run counts.
const kept = inputs.filter(
  ({ name, architecture }) =>
    /^(?:claude-sdk|opencode)$/.test(architecture) &&
    !/08c-subagent-fails of 2.1.197|, late |, public|of Kilo/.test(name),
)

describe.each(isThorough ? [] : kept)('$name', ({ source, messages }) => {
  it('keeps final blocks and subagents', () => {
    let session = source.open()
    for (const message of messages) {
      const { state } = session
      const reading = source.read(session, [message])
      session = reading.session
      expectKept(state, session.state, reading.events)
    }
  })
})

/** A final block stays, unless an event removes it. A final subagent stays final, unless an event resumes it. */
function expectKept(
  before: SessionConversationState,
  after: SessionConversationState,
  events: readonly SessionEvent[],
): void {
  const retracted = new Set(events.flatMap((event) => (event.type === 'block:removed' ? event.blockId : [])))
  const resumed = new Set(
    events.flatMap((event) => (event.type === 'subagent:resumed' ? event.toolUseId : [])),
  )
  for (const thread of threadsOf(before)) {
    // A subagent that is known before its call gets the call's id later.
    const later = findConversation(after, thread.blocks[0]?.conversationId ?? 'main')
    if (later?.blocks === thread.blocks) continue
    const found = new Map(later?.blocks.map((block) => [block.id, block]))
    for (const block of thread.blocks) {
      const kept = found.get(block.id)
      if (kept === block || retracted.has(block.id) || !isFinal(block)) continue
      if (block.type === 'subagent' && resumed.has(block.toolUseId)) continue
      if (!kept || !isDeepStrictEqual(essence(kept), essence(block))) expect(kept).toEqual(block)
    }
  }
  for (const { toolUseId, status } of before.subagents)
    if ((status === 'success' || status === 'error') && !resumed.has(toolUseId))
      expect(findConversation(after, toolUseId)).toMatchObject({ status })
}

const isFinal = ({ status }: ConversationBlock) => status !== 'pending' && status !== 'running'

/**
 * A block without the fields that later messages may add to a final one: its time, the facts of an agent's run, the sum of a turn's changes
 * on its prompt, and the words of a person's refusal.
 */
function essence(block: ConversationBlock): object {
  if (block.type === 'subagent') return { id: block.id, status: block.status, input: block.input }
  const { timestamp, ...rest } = block
  if (rest.type === 'user_message') {
    const { changes, checkpoint, ...message } = rest
    return message
  }
  if (rest.type !== 'request') return rest
  const { comment, ...request } = rest
  return request
}
