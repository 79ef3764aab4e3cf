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

const requestsIn = ({ blocks, subagents }: SessionConversationState) =>
  [{ blocks }, ...subagents]
    .flatMap((thread) => thread.blocks)
    .flatMap(({ type, id }) => (type === 'request' ? id : []))

/** Returns the requests that are shown twice when a turn with requests comes again after its state. */
function doubledRequests({ source, messages }: RecordedInput): {
  readonly all: number
  readonly doubled: string[]
} {
  const before = source.read(source.open(), messages).session.state
  const begins = messages.map((message) =>
    /"(?:session\/prompt|turn\/started)"/.test(JSON.stringify(message)),
  )
  const from = begins.lastIndexOf(true)
  if (from < 0 || openIds(before).length > 0) return { all: 0, doubled: [] }
  const again = source.read(source.open(before), messages.slice(from)).session.state
  const known = requestsIn(before)
  return { all: known.length, doubled: requestsIn(again).filter((id) => !known.includes(id)) }
}

// A withdrawn request of the turn was shown anew, and waited for ever.
it('a request adds nothing if its turn comes again', () => {
  const found = inputs.map((input) => ({ name: input.name, ...doubledRequests(input) }))
  // The request of this agent is left: it comes again as another one.
  const left = [{ name: 'acp, 06c-subagent-acp, rpc of Kimi', all: 1, doubled: ['call_2_1:2:request:0'] }]
  expect(found.filter(({ doubled }) => doubled.length > 0)).toEqual(left)
  expect(found.reduce((sum, { all }) => sum + all, 0)).toBeGreaterThan(10)
})
