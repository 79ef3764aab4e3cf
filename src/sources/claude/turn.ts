import { MAIN } from '../../state/session.ts'
import { keyOf } from './memory.ts'
import type { Translation } from './translation.ts'

/** Whether main streams a message or waits for a tool. */
export function isUnderWay({ memory }: Translation): boolean {
  return (
    memory.streaming.get(MAIN) !== undefined ||
    memory.calls.values().some((call) => call.conversationId === MAIN)
  )
}

/** What main has left open will not be finished any more: its process was killed, and another one goes on. */
export function giveUpTurn(translation: Translation): void {
  const { calls, streaming } = translation.memory
  const open = calls.values().filter((call) => call.conversationId === MAIN)
  translation.remember({
    streaming: streaming.without(MAIN),
    calls: open.reduce((left, { toolUseId }) => left.without(keyOf(MAIN, toolUseId)), calls),
  })
  translation.emit({ type: 'session:idle', conversationId: MAIN })
}
