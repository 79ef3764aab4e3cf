import { describe, expect, it } from 'vitest'
import { textsOf } from '../recordings.ts'
import {
  answer,
  asked,
  child,
  completed,
  delegation,
  framed,
  main,
  question,
  read,
  running,
  Session,
  toText,
  work,
} from './messages.ts'
import { recording, replay } from './recordings.ts'
import { storedOf } from './stored.ts'

const other = new Session('ses_other')
const othersChild = new Session('ses_others_child', other.id)
const foreign = [
  other.created({ cost: 5, directory: '/srv/other', version: '0' }),
  ...work(other, 'Not ours.'),
  other.task('msg_x', 'call-x', running(asked(othersChild.id))),
  othersChild.created({ cost: 3 }),
  ...work(othersChild, 'Not ours either.'),
  other.task('msg_x', 'call-x', completed(framed(othersChild.id, 'Not ours either.'), asked(othersChild.id))),
  other.failed({ name: 'APIError', data: { message: 'not ours' } }),
  other.event('permission.asked', { id: 'per_1', permission: 'bash' }),
]

describe('another session of the same server', () => {
  it('is counted, and nothing of it is in the state', () => {
    const { state, issues, ending } = read(...delegation, ...foreign, ...answer)
    const alone = read(...delegation, ...answer)
    expect(state).toEqual(alone.state)
    expect(ending).toBe(alone.ending)
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['other-session']))
    expect(issues.reduce((sum, { count }) => sum + count, 0)).toBe(foreign.length)
  })

  it('is none of ours however its events lie between ours', () => {
    const ours = [...delegation, ...answer]
    const [created, ...later] = ours
    const mixed = later.flatMap((event, at) => [event, ...foreign.slice(at, at + 1)])
    expect(read(created ?? {}, ...mixed).state).toEqual(read(...ours).state)
  })

  it('does not end our turn', () => {
    expect(read(...question, ...foreign).ending).toBe('interrupted')
    expect(read(...question, ...answer, other.created(), other.user('msg_x')).ending).toBe('finished')
  })

  it('is none of ours among exports either', () => {
    const { state, issues } = replay(JSON.stringify(storedOf([...delegation, ...answer, ...foreign])))
    expect(state).toEqual(replay(JSON.stringify(storedOf([...delegation, ...answer]))).state)
    expect(issues.every(({ code }) => code === 'other-session')).toBe(true)
  })
})

describe('main', () => {
  it('is the first session that nobody started', () => {
    expect(read(other.created(), ...question, ...answer).state.session.id).toBe(other.id)
    expect(read(child.created(), ...question, ...answer).state.session.id).toBe(main.id)
  })

  it('is the one without a parent among exports, wherever it stands', () => {
    const exports = storedOf([...delegation, ...answer])
    expect(exports).toHaveLength(2)
    const { state, issues } = replay(JSON.stringify([...exports].reverse()))
    expect(state.session.id).toBe(main.id)
    expect(state.subagents).toMatchObject([{ toolUseId: 'call-1', agentId: child.id, output: 'Report.' }])
    expect(issues).toEqual([])
  })

  it('is a subagent whose export comes alone', () => {
    const { files, mainSession } = recording('06-nested')
    const lone = Object.values(files).filter((text) => JSON.parse(text).info.id !== mainSession)
    for (const text of lone) {
      const { state, issues, ending } = replay(text)
      expect(state.session.id).toBe(JSON.parse(text).info.id)
      expect(textsOf(state)).not.toEqual([])
      expect(issues).toEqual([])
      expect(ending).toBe('finished')
    }
  })

  it('is the outer one of two subagents whose parent is not there', () => {
    const { files, mainSession } = recording('06-nested')
    const inner = Object.values(files).filter((text) => JSON.parse(text).info.id !== mainSession)
    const { state, issues } = replay(`[${inner.join(',')}]`)
    expect(textsOf(state).at(-1)).toBe('OUTER-REPORT: my own subagent answered.')
    expect(state.subagents).toMatchObject([{ output: 'INNER-REPORT: "A tiny project."' }])
    expect(issues).toEqual([])
  })
})

describe('the facts of a session', () => {
  it('are those of main', () => {
    const { state } = read(
      main.created({ model: { id: 'model-1' } }),
      child.created({ directory: '/srv/child', version: '9', model: { id: 'model-2' } }),
      child.begun('msg_c', { modelID: 'model-3' }),
    )
    expect(state.session).toEqual({
      id: main.id,
      program: 'opencode',
      cwd: '/srv/demo',
      version: '1.18.33',
      model: 'model-1',
    })
  })

  it('are read where only what the event brings names the session', () => {
    const older = [...question, ...answer].map(({ type, properties }) => {
      const { sessionID, ...others } = Object(properties)
      return { type, properties: 'info' in others || 'part' in others ? others : { sessionID, ...others } }
    })
    expect(replay(toText(older)).state).toEqual(read(...question, ...answer).state)
  })
})
