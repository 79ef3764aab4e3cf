import { expect, it } from 'vitest'
import { opencodeSource } from '../../../../src/wires/opencode/source.ts'
import { textsOf } from '../../recordings.ts'
import { child, main, readEvents, running, SessionEvents, taskTarget, withEventIds } from '../messages.ts'

const named = (id: string, parentId?: string) => new SessionEvents(id, parentId)
const say = (each: SessionEvents) => each.wholeText('msg_1', 'prt_1', each.id)

it('shows all sessions that waited until the end, in the order in which they began', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `ses_${at}`)
  const { state } = readEvents(...ids.map((id) => say(named(id))))
  const [mainId, ...others] = ids
  expect(textsOf(state)).toEqual([mainId])
  expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(others)
  expect(state.subagents.flatMap(textsOf)).toEqual(others)
})

it('takes the tree of the session that worked first for main, once the parent of one names it', () => {
  const { state } = readEvents(say(named('ses_a', 'ses_x')), say(child), child.updated(), main.updated())
  expect(state.session.id).toBe(main.id)
})

// The second call of a batch released nothing, because the batch changes its maps in place.
it('shows each session at once that a call of the batch names, and the sessions below it', () => {
  const ids = Array.from({ length: 3 }, (_, at) => `ses_${at}`)
  const below = named('ses_below', 'ses_1')
  const messages = withEventIds([
    main.created(),
    ...ids.map((id) => say(named(id))),
    below.updated(),
    say(below),
    ...ids.map((id, at) => main.task('msg_2', `call-${at}`, running(taskTarget(id)))),
  ])
  let session = opencodeSource.open()
  const alone = messages.flatMap((message) => {
    const reading = opencodeSource.read(session, [message])
    session = reading.session
    return reading.events
  })
  const batch = opencodeSource.read(opencodeSource.open(), messages)
  expect(batch.events).toEqual(alone)
  expect(batch.events.flatMap((each) => (each.type === 'block:upsert' ? each.conversationId : []))).toEqual([
    'call-0',
    'call-1',
    below.id,
    'call-2',
  ])
})

// The index of a batch kept the session below its first parent.
it('keeps a session waiting if only the parent that it had before becomes known', () => {
  const moved = 'ses_moved'
  const messages = withEventIds([
    main.created(),
    say(named(moved)),
    say(named('ses_other')),
    child.updated(),
    named(moved, 'ses_before').updated(),
    named(moved, 'ses_after').updated(),
    named('ses_before', main.id).updated(),
  ])
  const { session } = opencodeSource.read(opencodeSource.open(), messages)
  expect(session.state.subagents).toEqual([])
  const ended = opencodeSource.end(session)
  // Sessions of other clients of the server.
  expect(ended.session.state.subagents).toEqual([])
  expect(ended.issues).toContainEqual(expect.objectContaining({ code: 'other-session' }))
})
