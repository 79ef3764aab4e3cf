import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findSubagent } from '../../../../src/entries/index.ts'
import { runs } from '../../../depth.ts'
import { textsOf, threadsOf } from '../../recordings.ts'
import {
  answer,
  child,
  completed,
  delegation,
  main,
  readEvents,
  running,
  subagentTurn,
  taskOutput,
  taskTarget,
} from '../messages.ts'
import { recordings, replay } from '../recordings.ts'

describe('a late client', () => {
  it('shows a whole text whose first deltas it missed', () => {
    const { state } = readEvents(
      main.delta('msg_2', 'prt_2', 'lo'),
      main.wholeText('msg_2', 'prt_2', 'Hello'),
    )
    expect(textsOf(state)).toEqual(['Hello'])
  })

  it('shows a result whose call it missed', () => {
    const { state } = readEvents(main.tool('msg_2', 'prt_2', completed('done')))
    expect(state.blocks).toMatchObject([
      { type: 'tool_use', status: 'complete', input: { command: 'ls' } },
      { type: 'tool_result', output: 'done' },
    ])
  })

  it('takes the first session for main, and reads its facts from a later event', () => {
    const { state } = readEvents(main.delta('msg_2', 'prt_2', 'lo'), main.updated({ cost: 0.5 }), ...answer)
    expect(state.session).toMatchObject({ id: main.id, cwd: '/srv/demo', version: '1.18.33', costUsd: 0.5 })
    expect(textsOf(state)).toEqual(['Answer.'])
  })

  it('does not take a session with a parent for main', () => {
    const { state } = readEvents(
      child.updated(),
      ...subagentTurn(child, 'Report.'),
      main.updated(),
      main.task('msg_10', 'call-1', completed(taskOutput(child.id, 'Report.'), taskTarget(child.id))),
      ...answer,
    )
    expect(state.session.id).toBe(main.id)
    expect(textsOf(state)).toEqual(['Answer.'])
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-1', agentId: child.id, status: 'success', parentConversationId: 'main' },
    ])
  })

  it('shows a subagent under its call id, even if the call follows the subagent’s messages', () => {
    const { state, issues } = readEvents(
      main.created(),
      child.created(),
      ...subagentTurn(child, 'Report.'),
      main.task('msg_10', 'call-1', running(taskTarget(child.id))),
    )
    const subagent = findSubagent(state, 'call-1')
    expect(subagent && textsOf(subagent)).toEqual(['Report.'])
    expect(subagent?.blocks.every(({ conversationId }) => conversationId === 'call-1')).toBe(true)
    expect(state.subagents).toHaveLength(1)
    expect(subagent?.status).toBe('success')
    expect(issues).toEqual([])
  })

  it('links a subagent without a known call to its parent, and reports an issue', () => {
    const { state, issues } = readEvents(main.created(), child.created(), ...subagentTurn(child, 'Report.'))
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, parentConversationId: 'main' }])
    expect(textsOf(state.subagents[0] ?? state)).toEqual(['Report.'])
    expect(issues).toEqual([{ code: 'unplaced-message', count: 1, toolUseId: child.id }])
  })

  it('treats a resuming call as the first one if it missed the first', () => {
    const again = taskTarget(child.id, { prompt: 'Go on.', task_id: child.id })
    const { state } = readEvents(
      main.created(),
      child.updated(),
      main.task('msg_10', 'call-2', running(again)),
      ...subagentTurn(child, 'Second.'),
      main.task('msg_10', 'call-2', completed(taskOutput(child.id, 'Second.'), again)),
    )
    expect(state.subagents).toMatchObject([
      { toolUseId: 'call-2', agentId: child.id, runId: 'call-2', prompt: 'Go on.', output: 'Second.' },
    ])
  })

  it('shows every whole text from then on, wherever it joins', () => {
    fc.assert(
      fc.property(fc.constantFrom(...recordings), fc.nat(), ({ events, mainSession }, place) => {
        const lines = events.trimEnd().split('\n')
        const later = lines.slice(place % lines.length)
        fc.pre(later.some((line) => line.includes('"session')))
        const { state } = replay([JSON.stringify(main.event('server.connected')), ...later].join('\n'))
        fc.pre(state.session.id === mainSession)
        const texts = finalTextsIn(later)
        expect(threadsOf(state).flatMap(textsOf)).toEqual(expect.arrayContaining([...texts]))
      }),
      { numRuns: runs(30) },
    )
  })
})

/** The whole texts of the model in the lines. */
function finalTextsIn(lines: readonly string[]): ReadonlySet<string> {
  const found = lines.flatMap((line) => {
    const { part } = JSON.parse(line).properties
    return part?.type === 'text' && part.time?.end !== undefined ? [String(part.text)] : []
  })
  return new Set(found.filter((text) => !text.startsWith('SUMMARY')))
}

it('reads the delegation of the other tests without issues', () => {
  expect(readEvents(...delegation, ...answer).issues).toEqual([])
})
