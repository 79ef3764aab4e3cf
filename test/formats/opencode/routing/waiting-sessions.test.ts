import { expect, it } from 'vitest'
import { textsOf } from '../../recordings.ts'
import { child, main, readEvents, running, SessionEvents, taskTarget } from '../messages.ts'

const session = (id: string, parentId?: string) => new SessionEvents(id, parentId)
const say = (each: SessionEvents) => each.wholeText('msg_1', 'prt_1', each.id)

it('shows all sessions that waited until the end, in the order in which they began', () => {
  const ids = Array.from({ length: 1_000 }, (_, at) => `ses_${at}`)
  const { state } = readEvents(...ids.map((id) => say(session(id))))
  const [mainId, ...others] = ids
  expect(textsOf(state)).toEqual([mainId])
  expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(others)
  expect(state.subagents.flatMap(textsOf)).toEqual(others)
})

it('shows the session of a call before the next session that waited', () => {
  const grandchild = session('ses_grandchild', child.id)
  const stranger = session('ses_stranger')
  const { state } = readEvents(
    say(grandchild),
    child.task('msg_2', 'call-2', running(taskTarget(grandchild.id))),
    child.created(),
    say(stranger),
    say(main),
    main.created(),
  )
  expect(textsOf(state)).toEqual([main.id])
  expect(state.subagents.map(({ toolUseId }) => toolUseId)).toEqual(['call-2', child.id, stranger.id])
  expect(state.subagents.map(textsOf)).toEqual([[grandchild.id], [], [stranger.id]])
})

it('takes the tree of the session that worked first for main, once the parent of one names it', () => {
  const { state } = readEvents(say(session('ses_a', 'ses_x')), say(child), child.updated(), main.updated())
  expect(state.session.id).toBe(main.id)
})
