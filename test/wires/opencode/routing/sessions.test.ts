import { describe, expect, it } from 'vitest'
import { opencodeSource } from '../../../../src/entries/opencode.ts'
import { textsOf } from '../../recordings.ts'
import {
  answer,
  child,
  completed,
  delegation,
  main,
  prompt,
  readEvents,
  running,
  SessionEvents,
  subagentTurn,
  taskOutput,
  taskTarget,
} from '../messages.ts'
import { recording, replay } from '../recordings.ts'
import { toExports } from '../stored.ts'

const other = new SessionEvents('ses_other')
const othersChild = new SessionEvents('ses_others_child', other.id)
const foreign = [
  other.created({ cost: 5, directory: '/srv/other', version: '0' }),
  ...subagentTurn(other, 'Not ours.'),
  other.task('msg_x', 'call-x', running(taskTarget(othersChild.id))),
  othersChild.created({ cost: 3 }),
  ...subagentTurn(othersChild, 'Not ours either.'),
  other.task(
    'msg_x',
    'call-x',
    completed(taskOutput(othersChild.id, 'Not ours either.'), taskTarget(othersChild.id)),
  ),
  other.failed({ name: 'APIError', data: { message: 'not ours' } }),
  other.event('permission.asked', { id: 'per_1', permission: 'bash' }),
]

describe('another session of the same server', () => {
  it('is counted and adds nothing to the state', () => {
    const { state, issues, ending } = readEvents(...delegation, ...foreign, ...answer)
    const alone = readEvents(...delegation, ...answer)
    expect(state).toEqual(alone.state)
    expect(ending).toBe(alone.ending)
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['other-session']))
    expect(issues.reduce((sum, { count }) => sum + count, 0)).toBe(foreign.length)
  })

  it('adds nothing even if its events are mixed with ours', () => {
    const ours = [...delegation, ...answer]
    const [created, ...later] = ours
    const mixed = later.flatMap((event, at) => [event, ...foreign.slice(at, at + 1)])
    expect(readEvents(created ?? {}, ...mixed).state).toEqual(readEvents(...ours).state)
  })

  it('adds nothing among exports either', () => {
    const { state, issues } = replay(JSON.stringify(toExports([...delegation, ...answer, ...foreign])))
    expect(state).toEqual(replay(JSON.stringify(toExports([...delegation, ...answer]))).state)
    expect(issues.every(({ code }) => code === 'other-session')).toBe(true)
  })
})

describe('the main session', () => {
  it('is the first session without a parent', () => {
    expect(readEvents(other.created(), ...prompt, ...answer).state.session.id).toBe(other.id)
    expect(readEvents(child.created(), ...prompt, ...answer).state.session.id).toBe(main.id)
  })

  it('is shown as soon as it works', () => {
    const busy = main.status({ type: 'busy' })
    const events = [other.updated(), main.updated(), busy]
    const { session } = opencodeSource.read(opencodeSource.open(), events.slice(0, -1))
    const last = opencodeSource.read(session, events.slice(-1))
    expect(last.events).toMatchObject([
      { type: 'session:updated', facts: { id: main.id } },
      { type: 'session:updated' },
      { type: 'session:running' },
    ])
  })

  it('is a subagent that was exported alone', () => {
    const { files, mainSession } = recording('06-nested')
    const withoutMain = Object.values(files).filter((text) => JSON.parse(text).info.id !== mainSession)
    for (const text of withoutMain) {
      const { state, issues, ending } = replay(text)
      expect(state.session.id).toBe(JSON.parse(text).info.id)
      expect(textsOf(state)).not.toEqual([])
      expect(issues).toEqual([])
      expect(ending).toBe('finished')
    }
  })

  it('is the outer one of two subagents without their parent', () => {
    const { files, mainSession } = recording('06-nested')
    const inner = Object.values(files).filter((text) => JSON.parse(text).info.id !== mainSession)
    const { state, issues } = replay(`[${inner.join(',')}]`)
    expect(textsOf(state).at(-1)).toBe('OUTER-REPORT: my own subagent answered.')
    expect(state.subagents).toMatchObject([{ output: 'INNER-REPORT: "A tiny project."' }])
    expect(issues).toEqual([])
  })
})

it('the facts of a session come from main', () => {
  const { state } = readEvents(
    main.created({ model: { id: 'model-1' } }),
    child.created({ directory: '/srv/child', version: '9', model: { id: 'model-2' } }),
    child.assistantStart('msg_c', { modelID: 'model-3' }),
  )
  expect(state.session).toEqual({
    id: main.id,
    program: 'opencode',
    cwd: '/srv/demo',
    version: '1.18.33',
    model: 'model-1',
  })
})
