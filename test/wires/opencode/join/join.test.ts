import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { depth } from '../../../depth.ts'
import { notesOf } from '../../recordings.ts'
import { answer, type Message, main, prompt, withEventIds } from '../messages.ts'
import { toExports } from '../stored.ts'
import {
  expectHistoryAtCut,
  expectNothingTakenBack,
  expectReconnect,
  expectTwoStreams,
  expectWholeHistory,
  followAll,
  type JoinedSession,
  type JoinPlace,
  joinedSessions,
  nothing,
  waysToGoOn,
} from './joins.ts'

const PLACES = depth({ few: 2, all: 40 })

/** A place of a join in the session's bus. */
const anyPlace = ({ bus }: JoinedSession): fc.Arbitrary<JoinPlace> =>
  fc.record({
    cut: fc.nat({ max: bus.length }),
    repeated: fc.oneof(fc.constant(0), fc.nat({ max: 40 })),
    way: fc.constantFrom(...waysToGoOn),
  })

// The bus repeats content that the history has. Prompts became texts of the model, and the note of an interruption was shown twice.
describe.each(joinedSessions)('$name: history, then the live stream', (session) => {
  const holds = (law: (session: JoinedSession, place: JoinPlace) => void, numRuns: number) =>
    fc.assert(
      fc.property(anyPlace(session), (place) => law(session, place)),
      { numRuns },
    )

  it('adds nothing to the whole history', () => holds(expectWholeHistory, PLACES))
  it('completes the history of any moment', () => holds(expectHistoryAtCut, PLACES))
  it('goes on after a restart', () => holds(expectReconnect, PLACES))
  it('adds nothing to another stream of the same events', () => {
    const places = fc.record({ cut: fc.nat({ max: session.bus.length }), lag: fc.nat({ max: 40 }) })
    fc.assert(
      fc.property(places, (place) => expectTwoStreams(session, place)),
      { numRuns: PLACES },
    )
  })
  it('takes back no final block and no prompt', () => holds(expectNothingTakenBack, 1))
})

describe('an error of the session after an export', () => {
  const aborted: Message = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
  const stopped = (id: string, parentID: string) => [
    main.assistantStart(id, { parentID }),
    main.failed(aborted),
    main.idle(),
    main.assistantEnd(id, { parentID, error: aborted }),
  ]
  const events = withEventIds([...prompt, ...stopped('msg_02', 'msg_01')])
  const notesAfter = (...live: readonly Message[]) => {
    const { state } = followAll(followAll(nothing, toExports(events)), live)
    return notesOf(state, 'interruption').map(({ id }) => id)
  }

  it('is the one of the message that the bus is at', () => {
    expect(notesAfter(...events)).toEqual(['msg_02:error'])
    expect(notesAfter(...events.slice(-3))).toEqual(['msg_02:error'])
  })

  it('is a new one in a new turn', () => {
    const again = [main.user('msg_03'), main.userText('msg_03', 'prt_03', 'Again.')]
    expect(notesAfter(...again, ...stopped('msg_04', 'msg_03'))).toEqual(['msg_02:error', 'msg_04:error'])
    expect(notesAfter(...again, main.failed(aborted), ...answer)).toHaveLength(2)
  })

  it('is of an earlier turn if its id is older than the open message', () => {
    const ids = { prompt: 'msg_204420000001aaaa', answer: 'msg_204421000001aaaa' }
    const running = [
      ...prompt,
      main.user(ids.prompt),
      main.userText(ids.prompt, 'prt_x', 'Again.'),
      main.assistantStart(ids.answer, { parentID: ids.prompt }),
    ]
    const overloaded: Message = { name: 'APIError', data: { message: 'Overloaded' } }
    const stateWith = (id: string) =>
      followAll(followAll(nothing, toExports(running)), [{ ...main.failed(overloaded), id }, main.idle()])
        .state
    expect(stateWith('evt_204419000001aaaa').turn.status).toBe('finished')
    expect(stateWith('evt_204422000001aaaa').turn.status).toBe('failed')
    expect(stateWith('evt_204422000001aaaa').blocks.at(-1)?.id).toBe(`${ids.answer}:error`)
  })
})
