import { describe, expect, it } from 'vitest'
import {
  answer,
  child,
  delegation,
  type Message,
  main,
  prompt,
  readEvents,
  readOpenEvents,
  subagentTurn,
  toLines,
} from '../messages.ts'
import { recordings, replay } from '../recordings.ts'
import { toExports } from '../stored.ts'

const aborted: Message = { name: 'MessageAbortedError', data: { message: 'Aborted' } }
const turn = subagentTurn(child, 'Report.')
const opened = [main.updated(), ...prompt.slice(1), child.updated()]

// Nothing reports the end of a subagent whose call was missed or reverted but its own session. It stayed running for ever.
describe('a subagent without a known call', () => {
  const statusOf = (...events: readonly Message[]) => readOpenEvents(...events).state.subagents[0]?.status

  it('runs until its session is idle', () => {
    const { state, issues, ending } = readEvents(...opened, ...turn.slice(0, 3), ...answer)
    expect(statusOf(...opened, ...turn.slice(0, 3), ...answer)).toBe('running')
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, status: 'error' }])
    expect(issues.map(({ code }) => code)).toEqual(['unplaced-message', 'unfinished-subagent'])
    expect(ending).toBe('finished')
    expect(statusOf(...opened, ...turn)).toBe('success')
    expect(readEvents(...opened, ...turn, ...answer).ending).toBe('finished')
  })

  it('has failed if its session reports an error, or the user stopped it', () => {
    expect(statusOf(...opened, ...turn.slice(0, 4), child.failed(aborted), child.idle())).toBe('error')
    const error = { name: 'APIError', data: { message: 'Overloaded' } }
    const failure = child.assistantEnd('ses_child-2', { error })
    expect(statusOf(...opened, ...turn.slice(0, 4), failure, child.idle())).toBe('error')
  })

  it('runs again with its next message', () => {
    const second = subagentTurn(child, 'Second.', '-b')
    expect(statusOf(...opened, ...turn, ...second.slice(0, 3))).toBe('running')
    expect(statusOf(...opened, ...turn, ...second)).toBe('success')
  })

  it('is not created by an idle event alone', () => {
    expect(readEvents(...opened, child.idle()).state.subagents).toEqual([])
  })

  it('is final in exports too', () => {
    const exports = toExports([...delegation, ...answer]).map((session) => JSON.stringify(session))
    const withoutCall = `[${exports.join(',')}]`.replaceAll('"tool":"task"', '"tool":"gone"')
    const { state, issues } = replay(withoutCall)
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, status: 'success' }])
    expect(issues).toEqual([{ code: 'unplaced-message', count: 1, toolUseId: child.id }])
  })

  // A person undoes the messages with the call, and the next prompt removes them. The agent's own session stays.
  it('has the names in the title of its session', () => {
    const titled = child.updated({ title: 'Docs check (v2) (@general subagent)' })
    const { state } = readEvents(...opened, titled, ...turn, ...answer)
    expect(state.subagents).toMatchObject([{ description: 'Docs check (v2)', name: 'general' }])
    const renamed = child.updated({ title: 'My own title' })
    const [agent] = readEvents(...opened, renamed, ...turn, ...answer).state.subagents
    expect([agent?.description, agent?.name]).toEqual([undefined, undefined])
  })

  it.each(recordings)('is final at the end of $name without the calls', ({ events, mainSession }) => {
    const lines = events
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const kept = lines.filter(({ properties }) => properties.part?.tool !== 'task')
    const { state } = replay(toLines(kept))
    expect(state.session.id).toBe(mainSession)
    expect(state.subagents.filter(({ status }) => status === 'running' || status === 'pending')).toEqual([])
  })
})
