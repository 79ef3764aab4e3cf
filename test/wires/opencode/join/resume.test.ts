import { describe, expect, it } from 'vitest'
import { isPrompt } from '../../../../src/core/state/block.ts'
import type { Session } from '../../../../src/reading/source.ts'
import { opencodeSource } from '../../../../src/wires/opencode/source.ts'
import { notesOf, textsOf } from '../../recordings.ts'
import {
  answer,
  child,
  completed,
  delegation,
  type Message,
  main,
  pending,
  prompt,
  subagentTurn,
  tokens,
  toLines,
  withEventIds,
} from '../messages.ts'
import { replay } from '../recordings.ts'
import { followAll, nothing } from './joins.ts'

/** Reads events, forgets the session, and reads the later events with a resumed one. */
function restart(before: readonly Message[], after: readonly Message[]): Session {
  const all = withEventIds([...before, ...after])
  const { state } = followAll(nothing, all.slice(0, before.length))
  return followAll(opencodeSource.open(state), all.slice(before.length))
}

const step = (id: string, cost: number) =>
  main.stepFinish(id, `${id}-p`, { cost, tokens: tokens(10, 5), reason: 'stop' })

describe('resume', () => {
  it('returns an empty session for an empty state', () => {
    expect(opencodeSource.open(nothing.state)).toEqual(opencodeSource.open())
  })

  it('keeps a session without an id as main', () => {
    const part = { messageID: 'msg_90', id: 'prt_90', type: 'text', text: 'Hi.', time: { start: 1, end: 2 } }
    const event = { type: 'message.part.updated', properties: { part } }
    const { state } = replay(toLines([event]))
    const joined = followAll(opencodeSource.open(state), [event])
    expect(textsOf(joined.state)).toEqual(['Hi.'])
  })

  it('corrects a prompt that the state shows as a text of the model', () => {
    const seeming = main.wholeText('msg_01', 'prt_01', 'Ask.')
    const { state } = restart([main.created(), seeming], [main.user('msg_01')])
    expect(textsOf(state)).toEqual([])
    expect(state.blocks.filter(isPrompt)).toMatchObject([{ content: 'Ask.' }])
  })

  it.each([
    ['MessageAbortedError', 'interrupted'],
    ['APIError', 'failed'],
  ])('ends a turn as its error says, although the session is idle later: %s', (name, status) => {
    const failure = main.failed({ name, data: { message: 'Stopped.' } })
    const work = [...prompt, main.assistantStart('msg_02'), failure]
    expect(restart(work, [main.idle()]).state.turn.status).toBe(status)
  })

  it('of a text that the end of an input made final removes the text if its connection was lost', () => {
    const half = [
      ...prompt,
      main.assistantStart('msg_02'),
      main.textStart('msg_02', 'prt_02'),
      main.delta('msg_02', 'prt_02', 'One '),
    ]
    const ended = opencodeSource.end(followAll(nothing, withEventIds(half))).session.state
    const goOn = (...events: readonly Message[]) =>
      textsOf(followAll(opencodeSource.open(ended), events).state)
    const retry = main.status({ type: 'retry', attempt: 1, message: 'lost', next: 5000 })
    const second = [main.stepStart('msg_02', 'prt_03'), main.wholeText('msg_02', 'prt_04', 'Again.')]
    expect(goOn(retry, ...second)).toEqual(['Again.'])
  })

  it('continues a text at the place that repeated deltas have reached', () => {
    const started = [...prompt, main.assistantStart('msg_02'), main.textStart('msg_02', 'prt_02')]
    const deltas = ['One two ', 'three four ', 'five six '].map((text) =>
      main.delta('msg_02', 'prt_02', text),
    )
    const last = main.delta('msg_02', 'prt_02', 'seven')
    for (const from of [0, 1, 2, 3]) {
      const { state } = restart([...started, ...deltas], [...deltas.slice(from), last])
      expect([from, textsOf(state)]).toEqual([from, ['One two three four five six seven']])
    }
    const again = restart([...started, ...deltas], [...started, ...deltas, last])
    expect(textsOf(again.state)).toEqual(['One two three four five six seven'])
  })

  it('removes a revert, a message and a part that the state holds', () => {
    const reverted = main.updated({ revert: { messageID: 'msg_90' } })
    const file = main.userFile('msg_01', 'prt_02', 'image/png', 'https://example.com/a.png')
    const after = [main.updated(), main.removed('msg_90'), file, main.partRemoved('msg_01', 'prt_02')]
    const { state } = restart([...prompt, file, ...answer, reverted], after)
    expect(notesOf(state, 'rewind')).toEqual([])
    expect(state.blocks).toMatchObject([{ id: 'msg_01', content: 'Ask.' }])
  })

  it('gives events without an id new numbers', () => {
    const retry = { ...main.status({ type: 'retry', attempt: 1, message: 'lost' }), id: undefined }
    const { state } = restart([...prompt, retry], [retry])
    expect(notesOf(state, 'retry')).toHaveLength(2)
  })
})

describe('a resumed subagent', () => {
  it('is the one that its call started, and a pending call is still none', () => {
    const before = delegation.slice(0, -2)
    const announced = main.task('msg_10', 'call-2', pending)
    const session = restart([...before, announced], [...delegation.slice(-2), ...answer])
    expect(session.state.subagents).toMatchObject([
      { toolUseId: 'call-1', status: 'success' },
      { status: 'pending' },
    ])
    const invalid = main.tool('msg_10', 'call-2', completed('Wrong.'), { tool: 'invalid' })
    const later = followAll(session, [invalid])
    expect(later.state.subagents).toMatchObject([{ toolUseId: 'call-1' }])
  })

  it('is completed by its idle session if its call is not known', () => {
    const begun = [...prompt, child.created(), ...subagentTurn(child, 'Report.').slice(0, -1)]
    const { state } = restart(begun, [child.idle()])
    expect(state.subagents).toMatchObject([{ toolUseId: child.id, status: 'success' }])
  })
})

describe('the cost after a resumption', () => {
  const own = [...prompt, main.assistantStart('msg_02'), step('msg_02', 0.5), main.assistantEnd('msg_02')]

  it('is the one that the session reports, and no repeated event lowers it', () => {
    const before = [...own, main.updated({ cost: 0.5 })]
    expect(restart(before, [main.updated({ cost: 0.2 })]).state.session.costUsd).toBe(0.5)
    expect(restart(before, [main.updated({ cost: 0.75 })]).state.session.costUsd).toBe(0.75)
  })

  it('grows by new steps if several sessions share it', () => {
    const before = [
      ...own,
      ...delegation.slice(1),
      child.updated({ cost: 0.25 }),
      main.updated({ cost: 0.5 }),
    ]
    const next = [main.assistantStart('msg_95'), step('msg_95', 0.125)]
    const { state } = restart(before, [...own.slice(-2), main.updated({ cost: 0.5 }), ...next])
    expect(state.session.costUsd).toBe(0.875)
  })
})
