import { expect, it } from 'vitest'
import { pendingRequests, type SessionConversationState } from '../../src/entries/index.ts'
import { inputs, type RecordedInput } from './inputs.ts'

const openIds = (state: SessionConversationState) => pendingRequests(state).map(({ block }) => block.id)

/** Returns the requests that are not open again when the program repeats them after its input has ended, and how many there are. */
function lostRequests({ source, messages }: RecordedInput): {
  readonly all: number
  readonly lost: string[]
} {
  const lost: string[] = []
  let all = 0
  let session = source.open()
  for (const [index, message] of messages.entries()) {
    const before = openIds(session.state)
    session = source.read(session, [message]).session
    const asked = openIds(session.state).filter((id) => !before.includes(id))
    if (asked.length === 0) continue
    const ended = source.end(source.open(session.state))
    // Only a file leaves a request open, and no program repeats that.
    if (ended.ending === 'open') continue
    all += 1
    const again = source.read(source.open(ended.session.state), [message]).session.state
    if (!asked.every((id) => openIds(again).includes(id))) lost.push(`message ${index}: ${asked}`)
  }
  return { all, lost }
}

// A server that began again ended what its last process had left, and the question of a program that lived on was gone.
it('a request is open again if the program asks again after the end of its input', () => {
  const found = inputs.map((input) => ({ name: input.name, ...lostRequests(input) }))
  expect(found.filter(({ lost }) => lost.length > 0)).toEqual([])
  expect(found.reduce((sum, { all }) => sum + all, 0)).toBeGreaterThan(60)
})
