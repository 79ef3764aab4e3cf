import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../src/index.ts'
import { textsOf, threadsOf } from '../recordings.ts'
import { answer, asked, child, completed, delegation, framed, main, read, running, work } from './messages.ts'
import { recordings, replay } from './recordings.ts'

describe('a client that comes late', () => {
  it('has the text that is told as a whole, though it missed its beginning', () => {
    const { state } = read(main.delta('msg_2', 'prt_2', 'lo'), main.said('msg_2', 'prt_2', 'Hello'))
    expect(textsOf(state)).toEqual(['Hello'])
  })

  it('has a result though it missed the call', () => {
    const { state } = read(main.tool('msg_2', 'prt_2', completed('done')))
    expect(state.blocks).toMatchObject([
      { type: 'tool_use', status: 'complete', input: { command: 'ls' } },
      { type: 'tool_result', output: 'done' },
    ])
  })

  it('takes the first session that it meets for main, and learns of it later', () => {
    const { state } = read(main.delta('msg_2', 'prt_2', 'lo'), main.updated({ cost: 0.5 }), ...answer)
    expect(state.session).toMatchObject({ id: main.id, cwd: '/srv/demo', version: '1.18.33', costUsd: 0.5 })
    expect(textsOf(state)).toEqual(['Answer.'])
  })

  it('does not take a session that says who started it for main', () => {
    const { state } = read(
      child.updated(),
      ...work(child, 'Report.'),
      main.updated(),
      main.task('msg_10', 'call-1', completed(framed(child.id, 'Report.'), asked(child.id))),
      ...answer,
    )
    expect(state.session.id).toBe(main.id)
    expect(textsOf(state)).toEqual(['Answer.'])
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, status: 'success', parentConversationId: 'main' },
    ])
  })

  it('has a subagent whose call is told after its work under the id of the call', () => {
    const { state, issues } = read(
      main.created(),
      child.created(),
      ...work(child, 'Report.'),
      main.task('msg_10', 'call-1', running(asked(child.id))),
    )
    const subagent = findSubagent(state, 'call-1')
    expect(subagent && textsOf(subagent)).toEqual(['Report.'])
    expect(subagent?.blocks.every(({ conversationId }) => conversationId === 'call-1')).toBe(true)
    expect(state.subagents).toHaveLength(1)
    expect(issues).toEqual([{ code: 'unfinished-subagent', count: 1, toolUseId: 'call-1' }])
  })

  it('puts a subagent whose call it missed under its parent, and says so', () => {
    const { state, issues } = read(main.created(), child.created(), ...work(child, 'Report.'))
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, parentConversationId: 'main' }])
    expect(textsOf(state.subagents[0] ?? state)).toEqual(['Report.'])
    expect(issues).toEqual([{ code: 'unplaced-message', count: 1, toolUseId: child.id }])
  })

  it('has a call that has a subagent go on as its start, if it missed the first', () => {
    const again = asked(child.id, { prompt: 'Go on.', task_id: child.id })
    const { state } = read(
      main.created(),
      child.updated(),
      main.task('msg_10', 'call-2', running(again)),
      ...work(child, 'Second.'),
      main.task('msg_10', 'call-2', completed(framed(child.id, 'Second.'), again)),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-2', agentId: child.id, runId: 'call-2', prompt: 'Go on.', output: 'Second.' },
    ])
  })

  it('has what is told from then on, wherever it comes in', () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordings), fc.nat(), ({ events, mainSession }, place) => {
        const lines = events.trimEnd().split('\n')
        const later = lines.slice(place % lines.length)
        fc.pre(later.some((line) => line.includes('"session')))
        const { state } = replay([JSON.stringify(main.event('server.connected')), ...later].join('\n'))
        fc.pre(state.session.id === mainSession)
        const told = finalTextsIn(later)
        expect(threadsOf(state).flatMap(textsOf)).toEqual(expect.arrayContaining([...told]))
      }),
      { numRuns: 30 },
    )
  })
})

/** The model's texts that lines tell as a whole. */
function finalTextsIn(lines: readonly string[]): ReadonlySet<string> {
  const found = lines.flatMap((line) => {
    const { part } = JSON.parse(line).properties
    return part?.type === 'text' && part.time?.end !== undefined ? [String(part.text)] : []
  })
  return new Set(found.filter((text) => !text.startsWith('SUMMARY')))
}

it('reads a delegation as the other tests expect it', () => {
  expect(read(...delegation, ...answer).issues).toEqual([])
})
