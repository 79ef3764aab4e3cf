import { MAIN } from '../../state/session.ts'
import { keyOf } from './memory.ts'
import type { Translation } from './translation.ts'

/** A turn of main begins. What an earlier one left open, as when the process was killed, will not be finished any more. */
export function beginTurn(translation: Translation): void {
  if (isUnderWay(translation)) {
    const { calls, streaming } = translation.memory
    const open = calls.values().filter((call) => call.conversationId === MAIN)
    translation.remember({
      streaming: streaming.without(MAIN),
      calls: open.reduce((left, { toolUseId }) => left.without(keyOf(MAIN, toolUseId)), calls),
    })
    translation.emit({ type: 'session:idle', conversationId: MAIN })
  }
  translation.remember({ turn: 'running' })
}

/** Whether main streams a message or waits for a tool. */
export function isUnderWay({ memory }: Translation): boolean {
  return (
    memory.streaming.get(MAIN) !== undefined ||
    memory.calls.values().some((call) => call.conversationId === MAIN)
  )
}
