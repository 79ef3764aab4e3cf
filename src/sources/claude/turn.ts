import { MAIN } from '../../state/session.ts'
import { keyOf } from './memory.ts'
import { messageOf } from './message.ts'
import { isSubagentBlock, retractBlock } from './model-block.ts'
import type { Translation } from './translation.ts'

/** Whether main streams a message or waits for a tool. */
export function isUnderWay({ memory }: Translation): boolean {
  return (
    memory.streaming.get(MAIN) !== undefined ||
    memory.calls.values().some((call) => call.conversationId === MAIN)
  )
}

/** What main has left open will not be finished any more: the turn is over, or its process was killed. */
export function giveUpTurn(translation: Translation): void {
  retractAnnounced(translation)
  const { calls, streaming } = translation.memory
  const open = calls.values().filter((call) => call.conversationId === MAIN)
  translation.remember({
    streaming: streaming.without(MAIN),
    calls: open.reduce((left, { toolUseId }) => left.without(keyOf(MAIN, toolUseId)), calls),
  })
  translation.emit({ type: 'session:idle', conversationId: MAIN })
}

/** A call that was cut off while it streamed has never started an agent. */
function retractAnnounced(translation: Translation): void {
  const messageId = translation.memory.streaming.get(MAIN)
  if (messageId === undefined) return
  for (const block of messageOf({ conversationId: MAIN, messageId }, translation).blocks)
    if (!block.isWhole && isSubagentBlock(block.id)) retractBlock(MAIN, block.id, translation)
}
