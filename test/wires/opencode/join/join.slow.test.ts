import { describe, it } from 'vitest'
import {
  expectHistoryAtCut,
  expectReconnect,
  expectTwoStreams,
  expectWholeHistory,
  type JoinedSession,
  type JoinPlace,
  joinedSessions,
  waysToGoOn,
} from './joins.ts'

/** Two cuts of 60, so that there are even and odd ones, and the last one. */
const cutsOf = ({ bus }: JoinedSession): readonly number[] =>
  [...bus.keys(), bus.length].filter((cut) => cut % 60 < 2 || cut === bus.length)

const REPEATED = [0, 1, 0, 5, 0, 40, 0]

/**
 * Returns half of the places of a join in the session's bus, with few, some or many repeated events. Each cut has a carried and a resumed
 * session: the even cuts have the one after the end of an input, and the odd cuts the other. `join.test.ts` takes random combinations.
 */
const placesIn = (session: JoinedSession): readonly JoinPlace[] =>
  cutsOf(session).flatMap((cut) =>
    waysToGoOn
      .filter((way) => way.startsWith('carried') === (way.endsWith('after the end') === (cut % 2 === 0)))
      .map((way, at) => ({ cut, repeated: REPEATED[(cut + at) % REPEATED.length] ?? 0, way })),
  )

describe.each(joinedSessions)('$name: history, then the live stream from many events', (session) => {
  it('adds nothing to the whole history', () => {
    for (const place of placesIn(session)) expectWholeHistory(session, { ...place, repeated: 0 })
  })
  it('completes the history of every moment', () => {
    for (const place of placesIn(session)) expectHistoryAtCut(session, place)
  })
  it('goes on after a restart', () => {
    for (const place of placesIn(session)) expectReconnect(session, place)
  })
  it('adds nothing to another stream of the same events', () => {
    for (const cut of cutsOf(session)) expectTwoStreams(session, { cut, lag: (cut * 7) % 40 })
  })
})
